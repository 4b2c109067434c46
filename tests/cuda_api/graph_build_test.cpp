// Graphs as structures: nodes, edges, copies, what is told of them, and what is refused.
#include <fstream>
#include <sstream>

#include "cuda_api/graph_support.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using Nodes = std::vector<cudaGraphNode_t>;

class GraphBuildTest : public GraphTest {
 protected:
  static Nodes dependencies(cudaGraphNode_t node) {
    std::size_t count = 0;
    EXPECT_EQ(cudaGraphNodeGetDependencies(node, nullptr, &count), cudaSuccess);
    Nodes all(count);
    EXPECT_EQ(cudaGraphNodeGetDependencies(node, all.data(), &count), cudaSuccess);
    return all;
  }
};

TEST_F(GraphBuildTest, NodesAndEdgesAreToldAsTheyWereMade) {
  cudaGraph_t g = graph();
  cudaGraphNode_t a = empty_node(g, {}), b = empty_node(g, {a}), c = empty_node(g, {a}), d = empty_node(g, {b, c});
  EXPECT_EQ(nodes(g), (Nodes{a, b, c, d}));
  EXPECT_EQ(dependencies(d), (Nodes{b, c}));

  Nodes roots(3, d);
  std::size_t count = 3;
  CHECK_CUDA(cudaGraphGetRootNodes(g, roots.data(), &count));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(roots, (Nodes{a, nullptr, nullptr}));  // more room than nodes: the rest is null

  Nodes after(1);
  count = 1;
  CHECK_CUDA(cudaGraphNodeGetDependentNodes(a, after.data(), &count));
  EXPECT_EQ(after, (Nodes{b}));  // less room than nodes

  Nodes from(4), to(4);
  count = 0;
  CHECK_CUDA(cudaGraphGetEdges(g, nullptr, nullptr, &count));
  EXPECT_EQ(count, 4u);
  CHECK_CUDA(cudaGraphGetEdges(g, from.data(), to.data(), &count));
  EXPECT_EQ(from, (Nodes{a, a, b, c}));
  EXPECT_EQ(to, (Nodes{b, c, d, d}));

  cudaGraphNodeType type = cudaGraphNodeTypeCount;
  CHECK_CUDA(cudaGraphNodeGetType(a, &type));
  EXPECT_EQ(type, cudaGraphNodeTypeEmpty);
}

TEST_F(GraphBuildTest, EdgesAreAddedAndRemoved) {
  cudaGraph_t g = graph(), other = graph();
  cudaGraphNode_t a = empty_node(g, {}), b = empty_node(g, {}), elsewhere = empty_node(other, {});
  CHECK_CUDA(cudaGraphAddDependencies(g, &a, &b, 1));
  EXPECT_EQ(dependencies(b), (Nodes{a}));
  EXPECT_EQ(cudaGraphAddDependencies(g, &a, &b, 1), cudaErrorInvalidValue);  // there already
  EXPECT_EQ(cudaGraphAddDependencies(g, &a, &a, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddDependencies(g, &a, &elsewhere, 1), cudaErrorInvalidValue);
  CHECK_CUDA(cudaGraphRemoveDependencies(g, &a, &b, 1));
  EXPECT_TRUE(dependencies(b).empty());
  EXPECT_EQ(cudaGraphRemoveDependencies(g, &a, &b, 1), cudaErrorInvalidValue);  // gone already
}

TEST_F(GraphBuildTest, DependenciesAreCheckedWhenANodeIsAdded) {
  cudaGraph_t g = graph(), other = graph();
  cudaGraphNode_t a = empty_node(g, {}), elsewhere = empty_node(other, {}), made = nullptr;
  const Nodes twice = {a, a}, wrong = {elsewhere}, none = {nullptr};
  EXPECT_EQ(cudaGraphAddEmptyNode(&made, g, twice.data(), 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEmptyNode(&made, g, wrong.data(), 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEmptyNode(&made, g, none.data(), 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEmptyNode(&made, g, nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEmptyNode(nullptr, g, nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEmptyNode(&made, nullptr, nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(nodes(g), (Nodes{a}));
}

TEST_F(GraphBuildTest, ANodeThatIsDestroyedTakesItsEdgesAlong) {
  cudaGraph_t g = graph();
  cudaGraphNode_t a = empty_node(g, {}), b = empty_node(g, {a}), c = empty_node(g, {b});
  CHECK_CUDA(cudaGraphDestroyNode(b));
  EXPECT_EQ(nodes(g), (Nodes{a, c}));
  EXPECT_TRUE(dependencies(c).empty());
  EXPECT_EQ(cudaGraphDestroyNode(b), cudaErrorInvalidValue);
}

TEST_F(GraphBuildTest, ACycleIsFoundWhenTheGraphIsInstantiated) {
  cudaGraph_t g = graph();
  cudaGraphNode_t a = empty_node(g, {}), b = empty_node(g, {a}), c = empty_node(g, {b});
  CHECK_CUDA(cudaGraphAddDependencies(g, &c, &b, 1));
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&exec, g, 0ull), cudaErrorInvalidValue);
  cudaGraphInstantiateParams p = {};
  EXPECT_EQ(cudaGraphInstantiateWithParams(&exec, g, &p), cudaErrorInvalidValue);
  EXPECT_EQ(p.result_out, cudaGraphInstantiateInvalidStructure);
  EXPECT_TRUE(p.errNode_out == b || p.errNode_out == c);
}

TEST_F(GraphBuildTest, ACloneHasCopiesOfItsOwn) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph(), inner = graph(), clone = nullptr;
  axpb_node(inner, {}, p, 1, 5);
  cudaGraphNode_t a = axpb_node(g, {}, p, 1, 1), child = nullptr, copy = nullptr, child_copy = nullptr;
  CHECK_CUDA(cudaGraphAddChildGraphNode(&child, g, &a, 1, inner));
  CHECK_CUDA(cudaGraphClone(&clone, g));
  CHECK_CUDA(cudaGraphNodeFindInClone(&copy, a, clone));
  CHECK_CUDA(cudaGraphNodeFindInClone(&child_copy, child, clone));
  EXPECT_NE(copy, a);
  EXPECT_EQ(dependencies(child_copy), (Nodes{copy}));
  EXPECT_EQ(cudaGraphNodeFindInClone(&copy, a, g), cudaErrorInvalidValue);

  // Changes of the original are not the clone's.
  AxpbArguments other(p, 1, 100);
  const cudaKernelNodeParams changed = other.node();
  CHECK_CUDA(cudaGraphKernelNodeSetParams(a, &changed));
  CHECK_CUDA(cudaGraphDestroyNode(child));
  run(instantiate(clone), stream());
  EXPECT_EQ(read(p)[n - 1], 6u);
  CHECK_CUDA(cudaGraphDestroy(clone));
  EXPECT_EQ(cudaGraphDestroy(clone), cudaErrorInvalidValue);
}

TEST_F(GraphBuildTest, AChildGraphBelongsToItsNode) {
  cudaGraph_t g = graph(), inner = graph(), got = nullptr;
  empty_node(inner, {});
  cudaGraphNode_t child = nullptr;
  CHECK_CUDA(cudaGraphAddChildGraphNode(&child, g, nullptr, 0, inner));
  CHECK_CUDA(cudaGraphChildGraphNodeGetGraph(child, &got));
  EXPECT_NE(got, inner);  // a copy
  EXPECT_EQ(nodes(got).size(), 1u);
  EXPECT_EQ(cudaGraphDestroy(got), cudaErrorInvalidValue);
}

TEST_F(GraphBuildTest, EdgeDataIsKeptAndNotLost) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t a = axpb_node(g, {}, p, 1, 1), b = axpb_node(g, {}, p, 3, 1), e = empty_node(g, {});
  cudaGraphEdgeData data = {};
  data.from_port = cudaGraphKernelNodePortProgrammatic;
  data.type = cudaGraphDependencyTypeProgrammatic;
  CHECK_CUDA(cudaGraphAddDependencies_v2(g, &a, &b, &data, 1));
  EXPECT_EQ(cudaGraphAddDependencies_v2(g, &a, &e, &data, 1), cudaErrorInvalidValue);  // not between kernels

  cudaGraphNode_t from = nullptr, to = nullptr;
  cudaGraphEdgeData got = {};
  std::size_t count = 1;
  EXPECT_EQ(cudaGraphGetEdges(g, &from, &to, &count), cudaErrorLossyQuery);
  EXPECT_EQ(cudaGraphNodeGetDependencies(b, &from, &count), cudaErrorLossyQuery);
  EXPECT_EQ(cudaGraphNodeGetDependentNodes(a, &to, &count), cudaErrorLossyQuery);
  count = 1;
  CHECK_CUDA(cudaGraphGetEdges_v2(g, &from, &to, &got, &count));
  EXPECT_EQ(from, a);
  EXPECT_EQ(to, b);
  EXPECT_EQ(got.type, cudaGraphDependencyTypeProgrammatic);
  EXPECT_EQ(got.from_port, cudaGraphKernelNodePortProgrammatic);
  run(instantiate(g), stream());
  EXPECT_EQ(read(p)[0], 4u);  // (0 + 1) * 3 + 1
}

TEST_F(GraphBuildTest, ParametersOfKernelsStayReadable) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t node = nullptr;
  {
    AxpbArguments arguments(p, 2, 7);
    const cudaKernelNodeParams given = arguments.node();
    CHECK_CUDA(cudaGraphAddKernelNode(&node, g, nullptr, 0, &given));
    arguments.factor = 99;  // copied when it was added
  }
  cudaKernelNodeParams got = {};
  CHECK_CUDA(cudaGraphKernelNodeGetParams(node, &got));
  EXPECT_EQ(got.func, kernels().axpb);
  EXPECT_EQ(got.gridDim.x, 8u);
  EXPECT_EQ(got.blockDim.x, 128u);
  ASSERT_NE(got.kernelParams, nullptr);
  EXPECT_EQ(got.extra, nullptr);
  EXPECT_EQ(*static_cast<std::uint32_t**>(got.kernelParams[0]), p);
  EXPECT_EQ(*static_cast<std::uint32_t*>(got.kernelParams[1]), 2u);
  EXPECT_EQ(*static_cast<std::uint32_t*>(got.kernelParams[2]), 7u);
  // What was got can be given again, as samples do.
  CHECK_CUDA(cudaGraphKernelNodeSetParams(node, &got));
  run(instantiate(g), stream());
  EXPECT_EQ(read(p)[0], 7u);
}

TEST_F(GraphBuildTest, ArgumentsMayBePacked) {
  std::uint32_t* p = device_numbers(n, 1);
  struct {
    std::uint32_t* p;
    std::uint32_t factor, more, count;
  } packed = {p, 2, 3, n};
  std::size_t size = 20;
  void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &size, nullptr};
  cudaKernelNodeParams given = {const_cast<void*>(kernels().axpb), dim3{8, 1, 1}, dim3{128, 1, 1}, 0, nullptr, extra};
  cudaGraph_t g = graph();
  cudaGraphNode_t node = nullptr;
  CHECK_CUDA(cudaGraphAddKernelNode(&node, g, nullptr, 0, &given));
  cudaKernelNodeParams got = {};
  CHECK_CUDA(cudaGraphKernelNodeGetParams(node, &got));
  EXPECT_EQ(got.kernelParams, nullptr);
  ASSERT_NE(got.extra, nullptr);
  run(instantiate(g), stream());
  EXPECT_EQ(read(p)[0], 0x01010101u * 2 + 3);
  size = 12;  // less than the kernel takes
  EXPECT_EQ(cudaGraphAddKernelNode(&node, g, nullptr, 0, &given), cudaErrorInvalidValue);
}

TEST_F(GraphBuildTest, WrongParametersAreRefusedWhenANodeIsAdded) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t node = nullptr;
  AxpbArguments arguments(p, 1, 1);
  cudaKernelNodeParams kernel = arguments.node();
  EXPECT_EQ(cudaGraphAddKernelNode(&node, g, nullptr, 0, nullptr), cudaErrorInvalidValue);
  kernel.blockDim.x = 5000;
  EXPECT_EQ(cudaGraphAddKernelNode(&node, g, nullptr, 0, &kernel), cudaErrorInvalidConfiguration);
  kernel = arguments.node();
  kernel.func = &arguments;
  EXPECT_EQ(cudaGraphAddKernelNode(&node, g, nullptr, 0, &kernel), cudaErrorInvalidDeviceFunction);
  kernel = arguments.node();
  kernel.kernelParams = nullptr;
  EXPECT_EQ(cudaGraphAddKernelNode(&node, g, nullptr, 0, &kernel), cudaErrorInvalidValue);
  cudaMemsetParams fill = {p, 0, 1, 3, 8, 1};
  EXPECT_EQ(cudaGraphAddMemsetNode(&node, g, nullptr, 0, &fill), cudaErrorInvalidValue);  // elements of 3 bytes
  fill = {&fill, 0, 1, 4, 8, 1};
  EXPECT_EQ(cudaGraphAddMemsetNode(&node, g, nullptr, 0, &fill), cudaErrorInvalidValue);  // memory of the host
  EXPECT_EQ(cudaGraphAddMemcpyNode1D(&node, g, nullptr, 0, &fill, p, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddMemcpyNode1D(&node, g, nullptr, 0, p, &fill, 8 * n, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);  // more than was allocated
  const cudaHostNodeParams host = {nullptr, nullptr};
  EXPECT_EQ(cudaGraphAddHostNode(&node, g, nullptr, 0, &host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEventRecordNode(&node, g, nullptr, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddMemFreeNode(&node, g, nullptr, 0, p), cudaErrorInvalidValue);  // of no graph
  EXPECT_TRUE(nodes(g).empty());
  empty_node(g, {});
  cudaHostNodeParams got = {};
  EXPECT_EQ(cudaGraphHostNodeGetParams(nodes(g)[0], &got), cudaErrorInvalidValue);  // of another type
}

// No such number is read as a pointer.
TEST_F(GraphBuildTest, NumbersThatAreNoHandlesAreFound) {
  cudaGraph_t g = graph(), copy = nullptr;
  cudaGraphNode_t a = empty_node(g, {}), made = nullptr;
  std::size_t count = 0;
  cudaGraphExec_t exec = nullptr;
  for (const std::uintptr_t number : {std::uintptr_t{3}, std::uintptr_t{0xdeadbeefdeadbeef}, ~std::uintptr_t{0},
                                      reinterpret_cast<std::uintptr_t>(&count)}) {
    const auto no_graph = reinterpret_cast<cudaGraph_t>(number);
    const auto no_node = reinterpret_cast<cudaGraphNode_t>(number);
    const auto no_exec = reinterpret_cast<cudaGraphExec_t>(number);
    EXPECT_EQ(cudaGraphGetNodes(no_graph, nullptr, &count), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphClone(&copy, no_graph), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphInstantiateWithFlags(&exec, no_graph, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphDestroy(no_graph), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphAddEmptyNode(&made, g, &no_node, 1), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphDestroyNode(no_node), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphLaunch(no_exec, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphExecDestroy(no_exec), cudaErrorInvalidValue);
  }
  EXPECT_EQ(nodes(g), (Nodes{a}));
}

TEST_F(GraphBuildTest, CopiesAndFillsTellTheirParameters) {
  std::uint32_t* p = device_numbers(n);
  std::vector<std::uint32_t> host(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t copy = nullptr, fill = nullptr;
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&copy, g, nullptr, 0, host.data(), p, 400, cudaMemcpyDeviceToHost));
  cudaMemcpy3DParms got = {};
  CHECK_CUDA(cudaGraphMemcpyNodeGetParams(copy, &got));
  EXPECT_EQ(got.dstPtr.ptr, host.data());
  EXPECT_EQ(got.srcPtr.ptr, p);
  EXPECT_EQ(got.extent.width, 400u);
  EXPECT_EQ(got.extent.height, 1u);
  EXPECT_EQ(got.kind, cudaMemcpyDeviceToHost);
  const cudaMemsetParams given = {p, 400, 0xabcd, 2, 30, 4};
  CHECK_CUDA(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &given));
  cudaMemsetParams told = {};
  CHECK_CUDA(cudaGraphMemsetNodeGetParams(fill, &told));
  EXPECT_EQ(told.pitch, 400u);
  EXPECT_EQ(told.width, 30u);
  EXPECT_EQ(told.value, 0xabcdu);
}

TEST_F(GraphBuildTest, NodesOfAnyKindAreAddedByOneCall) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t fill = nullptr, kernel = nullptr, bad = nullptr;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeMemset;
  params.memset = {p, 0, 5, 4, n, 1};
  CHECK_CUDA(cudaGraphAddNode(&fill, g, nullptr, 0, &params));
  AxpbArguments arguments(p, 10, 2);
  cudaGraphNodeParams launch = {};
  launch.type = cudaGraphNodeTypeKernel;
  launch.kernel = node_v2(arguments.node());
  CHECK_CUDA(cudaGraphAddNode_v2(&kernel, g, &fill, nullptr, 1, &launch));
  run(instantiate(g), stream());
  EXPECT_EQ(read(p)[n - 1], 52u);
  params.memset.value = 6;
  CHECK_CUDA(cudaGraphNodeSetParams(fill, &params));
  run(instantiate(g), stream());
  EXPECT_EQ(read(p)[n - 1], 62u);
  EXPECT_EQ(cudaGraphNodeSetParams(kernel, &params), cudaErrorInvalidValue);  // of another type
  params.type = cudaGraphNodeTypeConditional;
  params.conditional = {.handle = 77, .type = cudaGraphCondTypeIf, .size = 1, .phGraph_out = nullptr};
  EXPECT_EQ(cudaGraphAddNode(&bad, g, nullptr, 0, &params), cudaErrorInvalidValue);  // no handle
  params.type = cudaGraphNodeTypeExtSemaphoreWait;
  EXPECT_EQ(cudaGraphAddNode(&bad, g, nullptr, 0, &params), cudaErrorNotSupported);
  params.type = static_cast<cudaGraphNodeType>(77);
  EXPECT_EQ(cudaGraphAddNode(&bad, g, nullptr, 0, &params), cudaErrorInvalidValue);
}

TEST_F(GraphBuildTest, AttributesOfKernelsAreKeptAndCopied) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t a = axpb_node(g, {}, p, 1, 1), b = axpb_node(g, {}, p, 1, 1);
  cudaLaunchAttributeValue value = {}, got = {};
  value.cooperative = 1;
  CHECK_CUDA(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeCooperative, &value));
  CHECK_CUDA(cudaGraphKernelNodeCopyAttributes(b, a));
  CHECK_CUDA(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributeCooperative, &got));
  EXPECT_EQ(got.cooperative, 1);
  value.clusterDim.x = 2;
  value.clusterDim.y = value.clusterDim.z = 1;
  EXPECT_EQ(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeClusterDimension, &value), cudaErrorNotSupported);
}

TEST_F(GraphBuildTest, GraphsThatKernelsLaunchAreRefused) {
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph(), cudaGraphInstantiateFlagDeviceLaunch), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph(), 1ull << 20), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphInstantiate(&exec, nullptr, 0ull), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(nullptr, nullptr), cudaErrorInvalidValue);
}

TEST_F(GraphBuildTest, APictureNamesNodesAndEdges) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t a = axpb_node(g, {}, p, 1, 1);
  empty_node(g, {a});
  const TemporaryFolder folder;
  const auto path = folder.path() / "graph.dot";
  CHECK_CUDA(cudaGraphDebugDotPrint(g, path.c_str(), cudaGraphDebugDotFlagsKernelNodeParams));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("digraph"), std::string::npos);
  EXPECT_NE(text.str().find("axpb"), std::string::npos);
  EXPECT_NE(text.str().find("grid 8 1 1"), std::string::npos);
  EXPECT_NE(text.str().find("n0 -> n1"), std::string::npos);
  EXPECT_EQ(cudaGraphDebugDotPrint(g, (folder.path() / "none" / "x.dot").c_str(), 0), cudaErrorOperatingSystem);
}

}  // namespace
}  // namespace heddle::tests
