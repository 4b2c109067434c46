// Nodes of graphs. Most structures of parameters have the layout of the runtime API's.
#include <bit>
#include <cstring>

#include "cuda_api/core/registry.hpp"
#include "cuda_api/driver/function.hpp"
#include "cuda_api/driver/same.hpp"
#include "cuda_api/runtime/graph_exec.hpp"

using namespace heddle::cuda_api;
using Node = cudaGraphNode_t;
using Nodes = const cudaGraphNode_t*;
using Graph = cudaGraph_t;
using Exec = cudaGraphExec_t;
using std::size_t;

HEDDLE_DRIVER_SAME(cuGraphAddEmptyNode, cudaGraphAddEmptyNode, (Node * node, Graph graph, Nodes after, size_t count),
                   (node, graph, after, count))
HEDDLE_DRIVER_SAME(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode,
                   (Node * node, Graph graph, Nodes after, size_t count, Graph child),
                   (node, graph, after, count, child))
HEDDLE_DRIVER_SAME(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph, (Node node, Graph* graph),
                   (node, graph))
HEDDLE_DRIVER_SAME(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams,
                   (Exec exec, Node node, Graph child), (exec, node, child))
HEDDLE_DRIVER_SAME(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode,
                   (Node * node, Graph graph, Nodes after, size_t count, cudaEvent_t event),
                   (node, graph, after, count, event))
HEDDLE_DRIVER_SAME(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode,
                   (Node * node, Graph graph, Nodes after, size_t count, cudaEvent_t event),
                   (node, graph, after, count, event))
HEDDLE_DRIVER_SAME(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent, (Node node, cudaEvent_t* event),
                   (node, event))
HEDDLE_DRIVER_SAME(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent, (Node node, cudaEvent_t event),
                   (node, event))
HEDDLE_DRIVER_SAME(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent, (Node node, cudaEvent_t* event),
                   (node, event))
HEDDLE_DRIVER_SAME(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent, (Node node, cudaEvent_t event),
                   (node, event))
HEDDLE_DRIVER_SAME(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
                   (Exec exec, Node node, cudaEvent_t event), (exec, node, event))
HEDDLE_DRIVER_SAME(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
                   (Exec exec, Node node, cudaEvent_t event), (exec, node, event))
HEDDLE_DRIVER_SAME(cuGraphAddHostNode, cudaGraphAddHostNode,
                   (Node * node, Graph graph, Nodes after, size_t count, const cudaHostNodeParams* p),
                   (node, graph, after, count, p))
HEDDLE_DRIVER_SAME(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams, (Node node, cudaHostNodeParams* p), (node, p))
HEDDLE_DRIVER_SAME(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams, (Node node, const cudaHostNodeParams* p),
                   (node, p))
HEDDLE_DRIVER_SAME(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams,
                   (Exec exec, Node node, const cudaHostNodeParams* p), (exec, node, p))
HEDDLE_DRIVER_SAME(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode,
                   (Node * node, Graph graph, Nodes after, size_t count, cudaMemAllocNodeParams* p),
                   (node, graph, after, count, p))
HEDDLE_DRIVER_SAME(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams, (Node node, cudaMemAllocNodeParams* p),
                   (node, p))
HEDDLE_DRIVER_SAME(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams, (Node node, void* p), (node, p))
HEDDLE_DRIVER_SAME(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute,
                   (Node node, int attribute, const void* value), (node, attribute, value))
HEDDLE_DRIVER_SAME(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute,
                   (Node node, int attribute, void* value), (node, attribute, value))
HEDDLE_DRIVER_SAME(cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes, (Node to, Node from), (to, from))
// CUDA_MEMSET_NODE_PARAMS is cudaMemsetParams.
HEDDLE_DRIVER_SAME(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams, (Node node, cudaMemsetParams* p),
                   (node, p))
HEDDLE_DRIVER_SAME(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams, (Node node, const cudaMemsetParams* p),
                   (node, p))
// CUDA_KERNEL_NODE_PARAMS_v1 is cudaKernelNodeParams.
HEDDLE_DRIVER_SAME(cuGraphAddKernelNode, cudaGraphAddKernelNode,
                   (Node * node, Graph graph, Nodes after, size_t count, const cudaKernelNodeParams* p),
                   (node, graph, after, count, p))
HEDDLE_DRIVER_SAME(cuGraphKernelNodeSetParams, cudaGraphKernelNodeSetParams, (Node node, const cudaKernelNodeParams* p),
                   (node, p))
HEDDLE_DRIVER_SAME(cuGraphExecKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
                   (Exec exec, Node node, const cudaKernelNodeParams* p), (exec, node, p))

namespace {

// CUDA_KERNEL_NODE_PARAMS_v2: the first version, and a kernel that may stand for the function.
struct KernelParams {
  cudaKernelNodeParams first;
  void* kernel;
  CUcontext context;
};
static_assert(sizeof(KernelParams) == 72);

cudaKernelNodeParams first_version(const KernelParams* p) {
  require(p, cudaErrorInvalidValue, "no parameters");
  cudaKernelNodeParams first = p->first;
  if (!first.func) first.func = p->kernel;
  return first;
}

// Whoever added a kernel of a library expects it there; functions of modules are no kernels.
void* kernel_of_library(void* function) {
  const auto home = libraries().home(static_cast<const KernelEntry*>(function));
  return home && !home->context ? function : nullptr;
}

cudaMemcpy3DParms runtime_form(const CUDA_MEMCPY3D* p) {
  require(p, cudaErrorInvalidValue, "no parameters");
  if (p->srcMemoryType == CU_MEMORYTYPE_ARRAY || p->dstMemoryType == CU_MEMORYTYPE_ARRAY)
    not_supported("a copy of an array (CUarray) in a graph");
  const auto side = [&](CUmemorytype type, const void* host, CUdeviceptr device, size_t pitch, size_t height) {
    void* const at = type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer(device);
    return cudaPitchedPtr{at, pitch ? pitch : p->WidthInBytes, p->WidthInBytes, height ? height : p->Height};
  };
  cudaMemcpy3DParms made{};
  made.srcPos = {p->srcXInBytes, p->srcY, p->srcZ};
  made.dstPos = {p->dstXInBytes, p->dstY, p->dstZ};
  made.srcPtr = side(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcPitch, p->srcHeight);
  made.dstPtr = side(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstPitch, p->dstHeight);
  made.extent = {p->WidthInBytes, p->Height, p->Depth};
  made.kind = cudaMemcpyDefault;
  return made;
}

// Addresses are of unified memory.
CUDA_MEMCPY3D driver_form(const cudaMemcpy3DParms& p) {
  CUDA_MEMCPY3D made{};
  made.srcXInBytes = p.srcPos.x;
  made.srcY = p.srcPos.y;
  made.srcZ = p.srcPos.z;
  made.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  made.srcDevice = address(p.srcPtr.ptr);
  made.srcPitch = p.srcPtr.pitch;
  made.srcHeight = p.srcPtr.ysize;
  made.dstXInBytes = p.dstPos.x;
  made.dstY = p.dstPos.y;
  made.dstZ = p.dstPos.z;
  made.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  made.dstDevice = address(p.dstPtr.ptr);
  made.dstPitch = p.dstPtr.pitch;
  made.dstHeight = p.dstPtr.ysize;
  made.WidthInBytes = p.extent.width;
  made.Height = p.extent.height;
  made.Depth = p.extent.depth;
  return made;
}

}  // namespace

extern "C" {
cudaError_t cudaGraphKernelNodeGetParams(Node node, cudaKernelNodeParams* p);
cudaError_t cudaGraphAddMemcpyNode(Node* node, Graph graph, Nodes after, size_t count, const cudaMemcpy3DParms* p);
cudaError_t cudaGraphMemcpyNodeGetParams(Node node, cudaMemcpy3DParms* p);
cudaError_t cudaGraphMemcpyNodeSetParams(Node node, const cudaMemcpy3DParms* p);
cudaError_t cudaGraphExecMemcpyNodeSetParams(Exec exec, Node node, const cudaMemcpy3DParms* p);
cudaError_t cudaGraphAddMemsetNode(Node* node, Graph graph, Nodes after, size_t count, const cudaMemsetParams* p);
cudaError_t cudaGraphExecMemsetNodeSetParams(Exec exec, Node node, const cudaMemsetParams* p);
cudaError_t cudaGraphAddMemFreeNode(Node* node, Graph graph, Nodes after, size_t count, void* p);
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* made, Graph graph, unsigned value,
                                             unsigned flags);
cudaError_t cudaGraphAddNode(Node* node, Graph graph, Nodes after, const cudaGraphEdgeData* edges, size_t count,
                             cudaGraphNodeParams* p);
cudaError_t cudaGraphNodeSetParams(Node node, cudaGraphNodeParams* p);
cudaError_t cudaGraphExecNodeSetParams(Exec exec, Node node, cudaGraphNodeParams* p);
}

HEDDLE_DRIVER_API cuGraphAddKernelNode_v2(Node* node, Graph graph, Nodes after, size_t count, const KernelParams* p) {
  return driver(__func__, [&] {
    const cudaKernelNodeParams first = first_version(p);
    check(cudaGraphAddKernelNode(node, graph, after, count, &first));
  });
}
HEDDLE_DRIVER_API cuGraphKernelNodeGetParams(Node node, cudaKernelNodeParams* p) {
  return driver(__func__, [&] {
    check(cudaGraphKernelNodeGetParams(node, p));
    p->func = function_handle(registry().kernel(p->func));
  });
}
HEDDLE_DRIVER_API cuGraphKernelNodeGetParams_v2(Node node, KernelParams* p) {
  return driver(__func__, [&] {
    require(p, cudaErrorInvalidValue, "no place for the parameters");
    *p = {};
    check(cudaGraphKernelNodeGetParams(node, &p->first));
    p->first.func = function_handle(registry().kernel(p->first.func));
    p->kernel = kernel_of_library(p->first.func);
  });
}
HEDDLE_DRIVER_API cuGraphKernelNodeSetParams_v2(Node node, const KernelParams* p) {
  return driver(__func__, [&] {
    const cudaKernelNodeParams first = first_version(p);
    check(cudaGraphKernelNodeSetParams(node, &first));
  });
}
HEDDLE_DRIVER_API cuGraphExecKernelNodeSetParams_v2(Exec exec, Node node, const KernelParams* p) {
  return driver(__func__, [&] {
    const cudaKernelNodeParams first = first_version(p);
    check(cudaGraphExecKernelNodeSetParams(exec, node, &first));
  });
}

HEDDLE_DRIVER_API cuGraphAddMemcpyNode(Node* node, Graph graph, Nodes after, size_t count, const CUDA_MEMCPY3D* p,
                                       CUcontext) {
  return driver(__func__, [&] {
    const cudaMemcpy3DParms made = runtime_form(p);
    check(cudaGraphAddMemcpyNode(node, graph, after, count, &made));
  });
}
HEDDLE_DRIVER_API cuGraphMemcpyNodeGetParams(Node node, CUDA_MEMCPY3D* p) {
  return driver(__func__, [&] {
    require(p, cudaErrorInvalidValue, "no place for the parameters");
    cudaMemcpy3DParms found{};
    check(cudaGraphMemcpyNodeGetParams(node, &found));
    *p = driver_form(found);
  });
}
HEDDLE_DRIVER_API cuGraphMemcpyNodeSetParams(Node node, const CUDA_MEMCPY3D* p) {
  return driver(__func__, [&] {
    const cudaMemcpy3DParms made = runtime_form(p);
    check(cudaGraphMemcpyNodeSetParams(node, &made));
  });
}
HEDDLE_DRIVER_API cuGraphExecMemcpyNodeSetParams(Exec exec, Node node, const CUDA_MEMCPY3D* p, CUcontext) {
  return driver(__func__, [&] {
    const cudaMemcpy3DParms made = runtime_form(p);
    check(cudaGraphExecMemcpyNodeSetParams(exec, node, &made));
  });
}
HEDDLE_DRIVER_BY(cuGraphAddMemsetNode,
                 (Node * node, Graph graph, Nodes after, size_t count, const cudaMemsetParams* p, CUcontext),
                 cudaGraphAddMemsetNode(node, graph, after, count, p))
HEDDLE_DRIVER_BY(cuGraphExecMemsetNodeSetParams, (Exec exec, Node node, const cudaMemsetParams* p, CUcontext),
                 cudaGraphExecMemsetNodeSetParams(exec, node, p))
HEDDLE_DRIVER_BY(cuGraphAddMemFreeNode, (Node * node, Graph graph, Nodes after, size_t count, CUdeviceptr p),
                 cudaGraphAddMemFreeNode(node, graph, after, count, pointer(p)))
HEDDLE_DRIVER_BY(cuGraphConditionalHandleCreate,
                 (cudaGraphConditionalHandle * made, Graph graph, CUcontext, unsigned value, unsigned flags),
                 cudaGraphConditionalHandleCreate(made, graph, value, flags))

namespace {

// CUgraphNodeParams has the runtime API's layout, except for two kinds of nodes.
struct CopyParams {
  int flags, reserved;
  CUcontext context;
  CUDA_MEMCPY3D copy;
};

template <class F>
void with_runtime_form(cudaGraphNodeParams* p, F&& f) {
  require(p, cudaErrorInvalidValue, "no parameters");
  auto* const content = reinterpret_cast<std::byte*>(&p->kernel);
  if (p->type == cudaGraphNodeTypeKernel && !p->kernel.func) {
    KernelParams whole;
    std::memcpy(&whole, content, sizeof whole);
    p->kernel.func = whole.kernel;
    f(p);
    p->kernel.func = nullptr;
    return;
  }
  if (p->type != cudaGraphNodeTypeMemcpy) return f(p);
  CopyParams copy;
  std::memcpy(&copy, content, sizeof copy);
  cudaGraphNodeParams made{};
  made.type = p->type;
  made.memcpy.copyParams = runtime_form(&copy.copy);
  f(&made);
}

}  // namespace

#undef cuGraphAddNode
HEDDLE_DRIVER_API cuGraphAddNode(Node* node, Graph graph, Nodes after, size_t count, cudaGraphNodeParams* p) {
  return driver(__func__, [&] {
    with_runtime_form(
        p, [&](cudaGraphNodeParams* made) { check(cudaGraphAddNode(node, graph, after, nullptr, count, made)); });
  });
}
HEDDLE_DRIVER_API cuGraphAddNode_v2(Node* node, Graph graph, Nodes after, const cudaGraphEdgeData* edges, size_t count,
                                    cudaGraphNodeParams* p) {
  return driver(__func__, [&] {
    with_runtime_form(
        p, [&](cudaGraphNodeParams* made) { check(cudaGraphAddNode(node, graph, after, edges, count, made)); });
  });
}
HEDDLE_DRIVER_API cuGraphNodeSetParams(Node node, cudaGraphNodeParams* p) {
  return driver(__func__, [&] {
    with_runtime_form(p, [&](cudaGraphNodeParams* made) { check(cudaGraphNodeSetParams(node, made)); });
  });
}
HEDDLE_DRIVER_API cuGraphExecNodeSetParams(Exec exec, Node node, cudaGraphNodeParams* p) {
  return driver(__func__, [&] {
    with_runtime_form(p, [&](cudaGraphNodeParams* made) { check(cudaGraphExecNodeSetParams(exec, node, made)); });
  });
}
