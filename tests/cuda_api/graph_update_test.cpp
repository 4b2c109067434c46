// Executable graphs that are changed: node by node, and from other graphs.
#include <atomic>

#include "cuda_api/graph_support.hpp"

namespace heddle::tests {
namespace {

void count_up(void* data) { ++*static_cast<std::atomic<int>*>(data); }

class GraphUpdateTest : public GraphTest {
 protected:
  static cudaGraphExecUpdateResult update(cudaGraphExec_t exec, cudaGraph_t graph, cudaError_t expected,
                                          cudaGraphNode_t* bad = nullptr, cudaGraphNode_t* from = nullptr) {
    cudaGraphExecUpdateResultInfo result = {};
    EXPECT_EQ(cudaGraphExecUpdate(exec, graph, &result), expected);
    if (bad) *bad = result.errorNode;
    if (from) *from = result.errorFromNode;
    return result.result;
  }
};

TEST_F(GraphUpdateTest, NodesOfEveryKindAreChanged) {
  std::uint32_t *p = device_numbers(n), *q = device_numbers(n);
  std::vector<std::uint32_t> back(n);
  std::atomic<int> first = 0, second = 0;
  cudaGraph_t g = graph();
  cudaGraphNode_t fill = nullptr, copy = nullptr;
  cudaMemsetParams value = {p, 0, 1, 4, n, 1};
  CHECK_CUDA(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &value));
  cudaGraphNode_t kernel = axpb_node(g, {fill}, p, 2, 0);
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&copy, g, &kernel, 1, back.data(), p, n * 4, cudaMemcpyDeviceToHost));
  cudaGraphNode_t host = host_node(g, {copy}, count_up, &first);
  cudaGraphExec_t exec = instantiate(g);
  cudaStream_t s = stream();
  run(exec, s);
  EXPECT_EQ(back[0], 2u);

  value.value = 10;
  CHECK_CUDA(cudaGraphExecMemsetNodeSetParams(exec, fill, &value));
  AxpbArguments arguments(p, 3, 4);
  const cudaKernelNodeParams launch = arguments.node();
  CHECK_CUDA(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
  const cudaHostNodeParams call = {count_up, &second};
  CHECK_CUDA(cudaGraphExecHostNodeSetParams(exec, host, &call));
  CHECK_CUDA(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, back.data() + 1, p, 4, cudaMemcpyDeviceToHost));
  run(exec, s);
  EXPECT_EQ(back[0], 2u);
  EXPECT_EQ(back[1], 34u);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  // The graph itself is as it was.
  run(instantiate(g), s);
  EXPECT_EQ(back[1], 2u);
  // What changes the kind of memory, or is of another graph, is refused.
  EXPECT_EQ(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, q, p, 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(exec, fill, &launch), cudaErrorInvalidValue);
  cudaGraphNode_t elsewhere = axpb_node(graph(), {}, p, 1, 1);
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(exec, elsewhere, &launch), cudaErrorInvalidValue);
}

TEST_F(GraphUpdateTest, OneCallChangesNodesOfAnyKind) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t kernel = axpb_node(g, {}, p, 1, 1);
  cudaGraphExec_t exec = instantiate(g);
  AxpbArguments arguments(p, 1, 50);
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel = node_v2(arguments.node());
  CHECK_CUDA(cudaGraphExecNodeSetParams(exec, kernel, &params));
  run(exec, stream());
  EXPECT_EQ(read(p)[0], 50u);
  params.type = cudaGraphNodeTypeHost;
  EXPECT_EQ(cudaGraphExecNodeSetParams(exec, kernel, &params), cudaErrorInvalidValue);
}

TEST_F(GraphUpdateTest, NodesAreDisabledAndEnabledAgain) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t a = axpb_node(g, {}, p, 1, 1), b = axpb_node(g, {a}, p, 1, 10), e = empty_node(g, {b});
  cudaGraphExec_t exec = instantiate(g);
  unsigned enabled = 7;
  CHECK_CUDA(cudaGraphNodeGetEnabled(exec, a, &enabled));
  EXPECT_EQ(enabled, 1u);
  CHECK_CUDA(cudaGraphNodeSetEnabled(exec, a, 0));
  CHECK_CUDA(cudaGraphNodeGetEnabled(exec, a, &enabled));
  EXPECT_EQ(enabled, 0u);
  run(exec, stream());
  EXPECT_EQ(read(p)[0], 10u);
  CHECK_CUDA(cudaGraphNodeSetEnabled(exec, a, 1));
  run(exec, stream());
  EXPECT_EQ(read(p)[0], 21u);
  EXPECT_EQ(cudaGraphNodeSetEnabled(exec, e, 0), cudaErrorInvalidValue);
}

TEST_F(GraphUpdateTest, AGraphOfTheSameShapeGivesItsParameters) {
  std::uint32_t *p = device_numbers(n), *q = device_numbers(n);
  cudaStream_t s = stream();
  const auto captured = [&](std::uint32_t* to, std::uint32_t more) {
    cudaGraph_t g = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaSuccess);
    axpb(s, to, 1, more);
    EXPECT_EQ(cudaMemsetAsync(to + 1, 0, 4, s), cudaSuccess);
    axpb(s, to, 2, 0);
    EXPECT_EQ(cudaStreamEndCapture(s, &g), cudaSuccess);
    return g;
  };
  cudaGraph_t one = captured(p, 1), two = captured(q, 5);
  cudaGraphExec_t exec = instantiate(one);
  EXPECT_EQ(update(exec, two, cudaSuccess), cudaGraphExecUpdateSuccess);
  run(exec, s);
  EXPECT_EQ(read(p)[0], 0u);
  EXPECT_EQ(read(q)[0], 10u);
  EXPECT_EQ(read(q)[1], 0u);
  CHECK_CUDA(cudaGraphDestroy(one));
  CHECK_CUDA(cudaGraphDestroy(two));
  run(exec, s);
  EXPECT_EQ(read(q)[0], 30u);
}

TEST_F(GraphUpdateTest, WhatDoesNotFitChangesNothing) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t a = axpb_node(g, {}, p, 1, 1), b = axpb_node(g, {a}, p, 2, 0);
  cudaGraphExec_t exec = instantiate(g);
  cudaGraphNode_t bad = nullptr, from = nullptr;

  cudaGraph_t fewer = graph();
  axpb_node(fewer, {}, p, 1, 7);
  EXPECT_EQ(update(exec, fewer, cudaErrorGraphExecUpdateFailure, &bad), cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(bad, nullptr);

  cudaGraph_t loose = graph();
  axpb_node(loose, {}, p, 1, 7);
  axpb_node(loose, {}, p, 1, 7);
  EXPECT_EQ(update(exec, loose, cudaErrorGraphExecUpdateFailure), cudaGraphExecUpdateErrorTopologyChanged);

  cudaGraph_t other = graph();
  cudaGraphNode_t host = empty_node(other, {});
  axpb_node(other, {host}, p, 1, 7);
  EXPECT_EQ(update(exec, other, cudaErrorGraphExecUpdateFailure, &bad), cudaGraphExecUpdateErrorNodeTypeChanged);
  EXPECT_EQ(bad, host);

  cudaGraph_t together = graph();
  cudaGraphNode_t c = axpb_node(together, {}, p, 1, 7), d = axpb_node(together, {c}, p, 1, 7);
  cudaLaunchAttributeValue cooperative = {};
  cooperative.cooperative = 1;
  CHECK_CUDA(cudaGraphKernelNodeSetAttribute(c, cudaLaunchAttributeCooperative, &cooperative));
  EXPECT_EQ(update(exec, together, cudaErrorGraphExecUpdateFailure, &bad, &from),
            cudaGraphExecUpdateErrorAttributesChanged);
  EXPECT_EQ(bad, c);
  EXPECT_NE(bad, d);
  run(exec, stream());
  EXPECT_EQ(read(p)[0], 2u);
  (void)b;
}

TEST_F(GraphUpdateTest, DependenciesAreComparedInTheirOrder) {
  std::uint32_t* p = device_numbers(n);
  const auto diamond = [&](bool crossed) {
    cudaGraph_t g = graph();
    cudaGraphNode_t a = empty_node(g, {}), b = empty_node(g, {}), c = empty_node(g, {a}),
                    d = empty_node(g, {crossed ? a : b});
    axpb_node(g, crossed ? std::vector{c, d, b} : std::vector{c, d, a}, p, 1, 1);
    return g;
  };
  cudaGraphExec_t exec = instantiate(diamond(false));
  EXPECT_EQ(update(exec, diamond(false), cudaSuccess), cudaGraphExecUpdateSuccess);
  cudaGraphNode_t bad = nullptr, from = nullptr;
  EXPECT_EQ(update(exec, diamond(true), cudaErrorGraphExecUpdateFailure, &bad, &from),
            cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_NE(bad, nullptr);
  EXPECT_NE(from, nullptr);
}

TEST_F(GraphUpdateTest, FillsOfRowsKeepTheirShape) {
  std::uint32_t* p = device_numbers(n);
  const auto filling = [&](std::size_t height, unsigned value) {
    cudaGraph_t g = graph();
    cudaGraphNode_t node = nullptr;
    const cudaMemsetParams fill = {p, 40, value, 4, 5, height};
    EXPECT_EQ(cudaGraphAddMemsetNode(&node, g, nullptr, 0, &fill), cudaSuccess);
    return g;
  };
  cudaGraphExec_t exec = instantiate(filling(3, 1));
  EXPECT_EQ(update(exec, filling(3, 9), cudaSuccess), cudaGraphExecUpdateSuccess);
  EXPECT_EQ(update(exec, filling(4, 9), cudaErrorGraphExecUpdateFailure), cudaGraphExecUpdateErrorParametersChanged);
  run(exec, stream());
  EXPECT_EQ(read(p)[24], 9u);
  EXPECT_EQ(read(p)[30], 0u);
}

TEST_F(GraphUpdateTest, ChildGraphsAreChangedAsAWholeAndNodeByNode) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t inner = graph(), better = graph(), different = graph(), outer = graph(), own = nullptr;
  axpb_node(inner, {}, p, 1, 1);
  axpb_node(better, {}, p, 1, 100);
  empty_node(different, {});
  cudaGraphNode_t child = nullptr;
  CHECK_CUDA(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  cudaGraphExec_t exec = instantiate(outer);
  CHECK_CUDA(cudaGraphExecChildGraphNodeSetParams(exec, child, better));
  EXPECT_EQ(cudaGraphExecChildGraphNodeSetParams(exec, child, different), cudaErrorInvalidValue);
  run(exec, stream());
  EXPECT_EQ(read(p)[0], 100u);
  // A node within the child graph stands for its copy in the executable graph.
  CHECK_CUDA(cudaGraphChildGraphNodeGetGraph(child, &own));
  AxpbArguments arguments(p, 1, 1000);
  const cudaKernelNodeParams launch = arguments.node();
  CHECK_CUDA(cudaGraphExecKernelNodeSetParams(exec, nodes(own)[0], &launch));
  run(exec, stream());
  EXPECT_EQ(read(p)[0], 1100u);
  // The whole, with its child graph.
  EXPECT_EQ(update(exec, outer, cudaSuccess), cudaGraphExecUpdateSuccess);
  run(exec, stream());
  EXPECT_EQ(read(p)[0], 1101u);
}

TEST_F(GraphUpdateTest, AnUpdateReplacesTheUserObjects) {
  std::atomic<int> first = 0, second = 0;
  const auto holding = [&](std::atomic<int>& destroyed) {
    cudaGraph_t g = nullptr;
    cudaUserObject_t object = nullptr;
    EXPECT_EQ(cudaGraphCreate(&g, 0), cudaSuccess);
    EXPECT_EQ(cudaUserObjectCreate(&object, &destroyed, count_up, 1, cudaUserObjectNoDestructorSync), cudaSuccess);
    EXPECT_EQ(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove), cudaSuccess);
    return g;
  };
  cudaGraph_t one = holding(first), two = holding(second);
  cudaGraphExec_t exec = nullptr;
  CHECK_CUDA(cudaGraphInstantiate(&exec, one, 0ull));
  CHECK_CUDA(cudaGraphDestroy(one));
  EXPECT_EQ(first, 0);
  EXPECT_EQ(update(exec, two, cudaSuccess), cudaGraphExecUpdateSuccess);
  EXPECT_EQ(first, 1);
  CHECK_CUDA(cudaGraphDestroy(two));
  EXPECT_EQ(second, 0);
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  EXPECT_EQ(second, 1);
}

TEST_F(GraphUpdateTest, GraphsThatAllocateAreNotUpdated) {
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location = {cudaMemLocationTypeDevice, 0};
  p.bytesize = 64;
  cudaGraph_t g = graph();
  cudaGraphNode_t node = nullptr;
  CHECK_CUDA(cudaGraphAddMemAllocNode(&node, g, nullptr, 0, &p));
  cudaGraphExec_t exec = instantiate(g);
  EXPECT_EQ(update(exec, g, cudaErrorGraphExecUpdateFailure), cudaGraphExecUpdateErrorNotSupported);
}

}  // namespace
}  // namespace heddle::tests
