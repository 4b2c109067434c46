// Memory that graphs allocate and free.
#include "cuda_api/graph_support.hpp"

namespace heddle::tests {
namespace {

class GraphMemoryTest : public GraphTest {
 protected:
  static cudaMemAllocNodeParams parameters(std::size_t bytes) {
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = bytes;
    return p;
  }
  cudaGraphNode_t allocate(cudaGraph_t graph, std::uint32_t** p) {
    cudaMemAllocNodeParams given = parameters(n * 4);
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &given), cudaSuccess);
    *p = static_cast<std::uint32_t*>(given.dptr);
    return node;
  }
  static std::uint64_t used() {
    std::uint64_t bytes = 0;
    EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes), cudaSuccess);
    return bytes;
  }
  static std::uint64_t reserved() {
    std::uint64_t bytes = 0;
    EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &bytes), cudaSuccess);
    return bytes;
  }
};

TEST_F(GraphMemoryTest, WhatAGraphFreesItselfIsItsOwn) {
  std::uint32_t *p = nullptr, *q = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t made = allocate(g, &p), fill = nullptr, copy = nullptr, freed = nullptr, again = nullptr;
  ASSERT_NE(p, nullptr);
  const cudaMemsetParams seven = {p, 0, 7, 4, n, 1};
  CHECK_CUDA(cudaGraphAddMemsetNode(&fill, g, &made, 1, &seven));
  cudaGraphNode_t a = axpb_node(g, {fill}, p, 2, 1);
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&copy, g, &a, 1, q, p, n * 4, cudaMemcpyDeviceToDevice));
  CHECK_CUDA(cudaGraphAddMemFreeNode(&freed, g, &copy, 1, p));
  EXPECT_EQ(cudaGraphAddMemFreeNode(&again, g, nullptr, 0, p), cudaErrorInvalidValue);  // freed twice
  void* told = nullptr;
  CHECK_CUDA(cudaGraphMemFreeNodeGetParams(freed, &told));
  EXPECT_EQ(told, p);
  cudaMemAllocNodeParams got = {};
  CHECK_CUDA(cudaGraphMemAllocNodeGetParams(made, &got));
  EXPECT_EQ(got.dptr, p);
  EXPECT_EQ(got.bytesize, n * 4);
  cudaGraphExec_t exec = instantiate(g);
  for (int i = 0; i < 3; ++i) run(exec, stream());
  EXPECT_EQ(read(q)[n - 1], 15u);
  EXPECT_EQ(used(), 0u);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);  // the graph's own
}

TEST_F(GraphMemoryTest, WhatAGraphLeavesIsFreedByTheProgram) {
  std::uint32_t* p = nullptr;
  cudaGraph_t g = graph();
  cudaGraphNode_t made = allocate(g, &p), fill = nullptr;
  const cudaMemsetParams seven = {p, 0, 7, 4, n, 1};
  CHECK_CUDA(cudaGraphAddMemsetNode(&fill, g, &made, 1, &seven));
  cudaGraphExec_t exec = instantiate(g);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);  // no launch has allocated it
  cudaStream_t s = stream();
  run(exec, s);
  EXPECT_EQ(used(), n * 4);
  EXPECT_EQ(read(p)[0], 7u);
  EXPECT_EQ(cudaGraphLaunch(exec, s), cudaErrorInvalidValue);  // not freed yet
  CHECK_CUDA(cudaFreeAsync(p, s));
  EXPECT_EQ(cudaFreeAsync(p, s), cudaErrorInvalidValue);
  run(exec, stream());
  CHECK_CUDA(cudaFree(p));
  EXPECT_EQ(used(), 0u);
  run(exec, s);
  CHECK_CUDA(cudaFree(p));
}

TEST_F(GraphMemoryTest, AnotherGraphMayFreeIt) {
  std::uint32_t* p = nullptr;
  cudaGraph_t makes = graph(), frees = graph();
  allocate(makes, &p);
  cudaGraphNode_t freed = nullptr, second = nullptr;
  CHECK_CUDA(cudaGraphAddMemFreeNode(&freed, frees, nullptr, 0, p));
  EXPECT_EQ(cudaGraphAddMemFreeNode(&second, makes, nullptr, 0, p), cudaErrorInvalidValue);
  cudaGraphExec_t one = instantiate(makes), two = instantiate(frees);
  cudaStream_t s = stream();
  EXPECT_EQ(cudaGraphLaunch(two, s), cudaErrorInvalidValue);
  for (int i = 0; i < 2; ++i) {
    run(one, s);
    run(two, s);
  }
  EXPECT_EQ(used(), 0u);
}

TEST_F(GraphMemoryTest, ALaunchMayFreeWhatTheOneBeforeHasLeft) {
  std::uint32_t* p = nullptr;
  cudaGraph_t g = graph();
  cudaGraphNode_t made = allocate(g, &p);
  axpb_node(g, {made}, p, 1, 1);
  cudaGraphExec_t exec = nullptr;
  CHECK_CUDA(cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  unsigned long long flags = 0;
  CHECK_CUDA(cudaGraphExecGetFlags(exec, &flags));
  EXPECT_EQ(flags, 1ull * cudaGraphInstantiateFlagAutoFreeOnLaunch);
  cudaStream_t s = stream();
  for (int i = 0; i < 3; ++i) run(exec, s);
  CHECK_CUDA(cudaFree(p));
  CHECK_CUDA(cudaGraphExecDestroy(exec));
}

TEST_F(GraphMemoryTest, SuchGraphsAreNotCopiedTakenApartOrInstantiatedTwice) {
  std::uint32_t* p = nullptr;
  cudaGraph_t g = graph(), outer = graph(), clone = nullptr;
  cudaGraphNode_t made = allocate(g, &p), behind = empty_node(g, {made}), child = nullptr;
  EXPECT_EQ(cudaGraphClone(&clone, g), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, g), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphDestroyNode(behind), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphRemoveDependencies(g, &made, &behind, 1), cudaErrorNotSupported);
  cudaGraphExec_t exec = instantiate(g), second = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&second, g, 0ull), cudaErrorInvalidValue);
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphInstantiate(&second, g, 0ull));
  CHECK_CUDA(cudaGraphExecDestroy(second));
}

TEST_F(GraphMemoryTest, AFreeMustComeBehindItsAllocation) {
  std::uint32_t* p = nullptr;
  cudaGraph_t g = graph();
  allocate(g, &p);
  cudaGraphNode_t freed = nullptr;
  CHECK_CUDA(cudaGraphAddMemFreeNode(&freed, g, nullptr, 0, p));
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&exec, g, 0ull), cudaErrorInvalidValue);
}

TEST_F(GraphMemoryTest, StreamOrderedAllocationIsCaptured) {
  std::uint32_t* q = device_numbers(n);
  void* p = nullptr;
  cudaStream_t s = stream();
  cudaGraph_t g = nullptr;
  CHECK_CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK_CUDA(cudaMallocAsync(&p, n * 4, s));
  CHECK_CUDA(cudaMemsetAsync(p, 0, n * 4, s));
  axpb(s, static_cast<std::uint32_t*>(p), 1, 9);
  CHECK_CUDA(cudaMemcpyAsync(q, p, n * 4, cudaMemcpyDeviceToDevice, s));
  EXPECT_EQ(cudaFreeAsync(q, s), cudaErrorInvalidValue);  // of no graph
  CHECK_CUDA(cudaFreeAsync(p, s));
  CHECK_CUDA(cudaStreamEndCapture(s, &g));
  EXPECT_EQ(nodes(g).size(), 5u);
  cudaGraphNodeType type = cudaGraphNodeTypeCount;
  CHECK_CUDA(cudaGraphNodeGetType(nodes(g)[4], &type));
  EXPECT_EQ(type, cudaGraphNodeTypeMemFree);
  cudaGraphExec_t exec = instantiate(g);
  run(exec, s);
  run(exec, s);
  EXPECT_EQ(read(q)[n - 1], 9u);
  CHECK_CUDA(cudaGraphDestroy(g));
}

TEST_F(GraphMemoryTest, MemoryGoesWithTheLastThatHoldsIt) {
  const std::uint64_t before = reserved();
  std::uint32_t* p = nullptr;
  cudaGraph_t g = nullptr;
  CHECK_CUDA(cudaGraphCreate(&g, 0));
  allocate(g, &p);
  cudaGraphExec_t exec = nullptr;
  CHECK_CUDA(cudaGraphInstantiate(&exec, g, 0ull));
  run(exec, stream());
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(g));
  EXPECT_EQ(reserved(), before + n * 4);  // the program has not freed it
  CHECK_CUDA(cudaMemset(p, 0, n * 4));
  CHECK_CUDA(cudaFree(p));
  EXPECT_EQ(reserved(), before);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
  std::uint64_t high = 1;
  EXPECT_EQ(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high), cudaErrorInvalidValue);
  high = 0;
  CHECK_CUDA(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
  CHECK_CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
  EXPECT_EQ(high, 0u);
  CHECK_CUDA(cudaDeviceGraphMemTrim(0));
}

}  // namespace
}  // namespace heddle::tests
