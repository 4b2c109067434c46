// Graphs, capture and memory pools of the driver API. What they do is tested for the runtime API; here, that each
// function gets there, with its own structures.
#include <cstring>
#include <vector>

#include "cuda_api/driver_support.hpp"

// Not in the headers that programs are given.
using Graph = CUgraph;
using Node = CUgraphNode;
using Exec = CUgraphExec;
struct KernelNode {
  CUfunction function;
  unsigned grid[3], block[3], shared;
  void** parameters;
  void** extra;
  CUkernel kernel;
  CUcontext context;
};
struct FillNode {
  CUdeviceptr to;
  std::size_t pitch;
  unsigned value, element;
  std::size_t width, height;
};
struct HostNode {
  void (*call)(void*);
  void* data;
};
extern "C" {
CUresult cuGraphCreate(Graph*, unsigned);
CUresult cuGraphDestroy(Graph);
CUresult cuGraphClone(Graph*, Graph);
CUresult cuGraphGetNodes(Graph, Node*, std::size_t*);
CUresult cuGraphGetEdges_v2(Graph, Node*, Node*, void*, std::size_t*);
CUresult cuGraphAddDependencies_v2(Graph, const Node*, const Node*, const void*, std::size_t);
CUresult cuGraphNodeGetType(Node, int*);
CUresult cuGraphAddKernelNode_v2(Node*, Graph, const Node*, std::size_t, const KernelNode*);
CUresult cuGraphKernelNodeGetParams_v2(Node, KernelNode*);
CUresult cuGraphExecKernelNodeSetParams_v2(Exec, Node, const KernelNode*);
CUresult cuGraphAddMemcpyNode(Node*, Graph, const Node*, std::size_t, const CUDA_MEMCPY3D*, CUcontext);
CUresult cuGraphMemcpyNodeGetParams(Node, CUDA_MEMCPY3D*);
CUresult cuGraphAddMemsetNode(Node*, Graph, const Node*, std::size_t, const FillNode*, CUcontext);
CUresult cuGraphAddHostNode(Node*, Graph, const Node*, std::size_t, const HostNode*);
CUresult cuGraphInstantiateWithFlags(Exec*, Graph, unsigned long long);
CUresult cuGraphLaunch(Exec, CUstream);
CUresult cuGraphExecDestroy(Exec);
CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode);
CUresult cuStreamEndCapture(CUstream, Graph*);
CUresult cuStreamGetCaptureInfo_v2(CUstream, CUstreamCaptureStatus*, cuuint64_t*, Graph*, const Node**, std::size_t*);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr*, std::size_t, CUmemoryPool, CUstream);
}

namespace heddle::tests {
namespace {

using DriverGraph = Driver;

KernelNode add_node(CUfunction function, void** parameters) {
  return {function, {1, 1, 1}, {4, 1, 1}, 0, parameters, nullptr, nullptr, nullptr};
}

void expect_size(Graph graph, std::size_t nodes, std::size_t edges) {
  std::size_t count = 0;
  ASSERT_CUDA(cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, nodes);
  ASSERT_CUDA(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count));
  EXPECT_EQ(count, edges);
}

TEST_F(DriverGraph, NodesBuiltByHandRun) {
  CUmodule module = load(add_ptx);
  CUfunction add = function(module, "add");
  CUdeviceptr p = allocate(64), q = allocate(64);
  unsigned value = 5;
  void* parameters[] = {&p, &value};
  Graph graph = nullptr;
  ASSERT_CUDA(cuGraphCreate(&graph, 0));
  Node fill = nullptr, kernel = nullptr, copy = nullptr, host = nullptr;
  const FillNode seven{p, 0, 7, 4, 4, 1};
  ASSERT_CUDA(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &seven, context));
  const KernelNode launch = add_node(add, parameters);
  ASSERT_CUDA(cuGraphAddKernelNode_v2(&kernel, graph, &fill, 1, &launch));
  CUDA_MEMCPY3D whole{};
  whole.srcMemoryType = whole.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  whole.srcDevice = p;
  whole.dstDevice = q;
  whole.WidthInBytes = 16;
  whole.Height = whole.Depth = 1;
  ASSERT_CUDA(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &whole, context));
  int calls = 0;
  const HostNode call{[](void* data) { ++*static_cast<int*>(data); }, &calls};
  ASSERT_CUDA(cuGraphAddHostNode(&host, graph, nullptr, 0, &call));
  ASSERT_CUDA(cuGraphAddDependencies_v2(graph, &copy, &host, nullptr, 1));

  expect_size(graph, 4, 3);
  int type = -1;
  ASSERT_CUDA(cuGraphNodeGetType(copy, &type));
  EXPECT_EQ(type, 1);
  KernelNode found{};
  ASSERT_CUDA(cuGraphKernelNodeGetParams_v2(kernel, &found));
  EXPECT_EQ(found.function, add);
  EXPECT_EQ(found.block[0], 4u);
  EXPECT_EQ(*static_cast<unsigned*>(found.parameters[1]), 5u);
  CUDA_MEMCPY3D read_back{};
  ASSERT_CUDA(cuGraphMemcpyNodeGetParams(copy, &read_back));
  EXPECT_EQ(read_back.dstDevice, q);
  EXPECT_EQ(read_back.WidthInBytes, 16u);

  Exec exec = nullptr;
  ASSERT_CUDA(cuGraphInstantiateWithFlags(&exec, graph, 0));
  ASSERT_CUDA(cuGraphLaunch(exec, nullptr));
  ASSERT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(read(q, 4), std::vector<unsigned>(4, 12));
  EXPECT_EQ(calls, 1);

  value = 100;
  KernelNode by_kernel = add_node(nullptr, parameters);
  by_kernel.kernel = reinterpret_cast<CUkernel>(add);
  ASSERT_CUDA(cuGraphExecKernelNodeSetParams_v2(exec, kernel, &by_kernel));
  ASSERT_CUDA(cuGraphLaunch(exec, nullptr));
  ASSERT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(read(q, 4), std::vector<unsigned>(4, 107));
  EXPECT_CUDA(cuGraphExecDestroy(exec));
  EXPECT_CUDA(cuGraphDestroy(graph));
  EXPECT_EQ(cuGraphAddMemcpyNode(&copy, graph, nullptr, 0, nullptr, context), CUDA_ERROR_INVALID_VALUE);
}

// Whoever launches a kernel of a library finds it again in the node.
TEST_F(DriverGraph, NodesNameKernelsOfLibraries) {
  CUlibrary library = nullptr;
  CUkernel add = nullptr;
  ASSERT_CUDA(cuLibraryLoadData(&library, add_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_CUDA(cuLibraryGetKernel(&add, library, "add"));
  CUdeviceptr p = allocate(16);
  unsigned value = 1;
  void* parameters[] = {&p, &value};
  CUstream stream = nullptr;
  ASSERT_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_CUDA(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  ASSERT_CUDA(cuLaunchKernel(reinterpret_cast<CUfunction>(add), 1, 1, 1, 4, 1, 1, 0, stream, parameters, nullptr));
  Graph graph = nullptr;
  ASSERT_CUDA(cuStreamEndCapture(stream, &graph));
  KernelNode by_kernel = add_node(nullptr, parameters);
  by_kernel.kernel = add;
  KernelNode of_module = add_node(function(load(add_ptx), "add"), parameters);
  Node nodes[3] = {};
  std::size_t count = 1;
  ASSERT_CUDA(cuGraphGetNodes(graph, nodes, &count));
  ASSERT_CUDA(cuGraphAddKernelNode_v2(&nodes[1], graph, nullptr, 0, &by_kernel));
  ASSERT_CUDA(cuGraphAddKernelNode_v2(&nodes[2], graph, nullptr, 0, &of_module));
  for (int i = 0; i < 3; ++i) {
    KernelNode found{};
    ASSERT_CUDA(cuGraphKernelNodeGetParams_v2(nodes[i], &found));
    EXPECT_EQ(found.kernel, i < 2 ? add : nullptr) << i;
    EXPECT_EQ(found.function, i < 2 ? reinterpret_cast<CUfunction>(add) : of_module.function) << i;
    EXPECT_EQ(found.block[0], 4u) << i;
  }
  EXPECT_CUDA(cuGraphDestroy(graph));
  EXPECT_CUDA(cuStreamDestroy_v2(stream));
  EXPECT_CUDA(cuLibraryUnload(library));
}

TEST_F(DriverGraph, AStreamIsCaptured) {
  CUmodule module = load(add_ptx);
  CUfunction add = function(module, "add");
  CUdeviceptr p = allocate(16);
  ASSERT_CUDA(cuMemsetD32_v2(p, 1, 4));
  CUstream stream = nullptr;
  ASSERT_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_CUDA(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_CUDA(cuThreadExchangeStreamCaptureMode(&mode));
  ASSERT_CUDA(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  unsigned value = 3;
  void* parameters[] = {&p, &value};
  ASSERT_CUDA(cuLaunchKernel(add, 1, 1, 1, 4, 1, 1, 0, stream, parameters, nullptr));
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  Graph into = nullptr;
  const Node* tips = nullptr;
  std::size_t count = 0;
  ASSERT_CUDA(cuStreamGetCaptureInfo_v2(stream, &status, &id, &into, &tips, &count));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(count, 1u);
  Graph graph = nullptr;
  ASSERT_CUDA(cuStreamEndCapture(stream, &graph));
  EXPECT_EQ(read(p, 4), std::vector<unsigned>(4, 1));
  Graph copy = nullptr;
  ASSERT_CUDA(cuGraphClone(&copy, graph));
  Exec exec = nullptr;
  ASSERT_CUDA(cuGraphInstantiateWithFlags(&exec, copy, 0));
  for (int i = 0; i < 3; ++i) ASSERT_CUDA(cuGraphLaunch(exec, stream));
  ASSERT_CUDA(cuStreamSynchronize(stream));
  EXPECT_EQ(read(p, 4), std::vector<unsigned>(4, 10));
  EXPECT_CUDA(cuGraphExecDestroy(exec));
  EXPECT_CUDA(cuGraphDestroy(copy));
  EXPECT_CUDA(cuGraphDestroy(graph));
  EXPECT_CUDA(cuStreamDestroy_v2(stream));
}

using DriverPool = Driver;

TEST_F(DriverPool, MemoryComesFromPools) {
  CUmemoryPool own = nullptr, current = nullptr, made = nullptr;
  ASSERT_CUDA(cuDeviceGetDefaultMemPool(&own, device));
  ASSERT_CUDA(cuDeviceGetMemPool(&current, device));
  EXPECT_EQ(own, current);
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  ASSERT_CUDA(cuMemPoolCreate(&made, &properties));
  cuuint64_t threshold = 1 << 20, found = 0;
  ASSERT_CUDA(cuMemPoolSetAttribute(made, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  ASSERT_CUDA(cuMemPoolGetAttribute(made, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &found));
  EXPECT_EQ(found, threshold);
  CUdeviceptr p = 0;
  ASSERT_CUDA(cuMemAllocFromPoolAsync(&p, 4096, made, nullptr));
  ASSERT_CUDA(cuMemPoolGetAttribute(made, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &found));
  EXPECT_GE(found, 4096u);
  ASSERT_CUDA(cuMemsetD32_v2(p, 9, 16));
  EXPECT_EQ(read(p, 16), std::vector<unsigned>(16, 9));
  ASSERT_CUDA(cuMemFreeAsync(p, nullptr));
  ASSERT_CUDA(cuCtxSynchronize());
  CUmemAccess_flags access{};
  CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, device};
  ASSERT_CUDA(cuMemPoolGetAccess(&access, made, &here));
  EXPECT_EQ(access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT_CUDA(cuMemPoolTrimTo(made, 0));
  EXPECT_CUDA(cuMemPoolDestroy(made));
  EXPECT_EQ(cuMemAllocFromPoolAsync(&p, 0, own, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::tests
