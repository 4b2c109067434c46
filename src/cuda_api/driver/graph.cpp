// Graphs: as wholes, their edges, and executable graphs. Handles are those of the runtime API.
#include <cstring>

#include "cuda_api/driver/same.hpp"
#include "cuda_api/runtime/graph_exec.hpp"

using namespace heddle::cuda_api;
using Node = cudaGraphNode_t;
using Edge = cudaGraphEdgeData;

HEDDLE_DRIVER_SAME(cuGraphCreate, cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), (graph, flags))
HEDDLE_DRIVER_SAME(cuGraphDestroy, cudaGraphDestroy, (cudaGraph_t graph), (graph))
HEDDLE_DRIVER_SAME(cuGraphClone, cudaGraphClone, (cudaGraph_t * clone, cudaGraph_t graph), (clone, graph))
HEDDLE_DRIVER_SAME(cuGraphNodeFindInClone, cudaGraphNodeFindInClone, (Node * node, Node original, cudaGraph_t clone),
                   (node, original, clone))
HEDDLE_DRIVER_SAME(cuGraphDestroyNode, cudaGraphDestroyNode, (Node node), (node))
HEDDLE_DRIVER_SAME(cuGraphNodeGetType, cudaGraphNodeGetType, (Node node, cudaGraphNodeType* type), (node, type))
HEDDLE_DRIVER_SAME(cuGraphGetNodes, cudaGraphGetNodes, (cudaGraph_t graph, Node* nodes, std::size_t* count),
                   (graph, nodes, count))
HEDDLE_DRIVER_SAME(cuGraphGetRootNodes, cudaGraphGetRootNodes, (cudaGraph_t graph, Node* nodes, std::size_t* count),
                   (graph, nodes, count))
HEDDLE_DRIVER_SAME(cuGraphDebugDotPrint, cudaGraphDebugDotPrint, (cudaGraph_t graph, const char* path, unsigned flags),
                   (graph, path, flags))
HEDDLE_DRIVER_SAME(cuUserObjectCreate, cudaUserObjectCreate,
                   (cudaUserObject_t * object, void* data, cudaHostFn_t destroy, unsigned count, unsigned flags),
                   (object, data, destroy, count, flags))
HEDDLE_DRIVER_SAME(cuUserObjectRetain, cudaUserObjectRetain, (cudaUserObject_t object, unsigned count), (object, count))
HEDDLE_DRIVER_SAME(cuUserObjectRelease, cudaUserObjectRelease, (cudaUserObject_t object, unsigned count),
                   (object, count))
HEDDLE_DRIVER_SAME(cuGraphRetainUserObject, cudaGraphRetainUserObject,
                   (cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags),
                   (graph, object, count, flags))
HEDDLE_DRIVER_SAME(cuGraphReleaseUserObject, cudaGraphReleaseUserObject,
                   (cudaGraph_t graph, cudaUserObject_t object, unsigned count), (graph, object, count))
HEDDLE_DRIVER_SAME(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim, (int device), (device))
HEDDLE_DRIVER_SAME(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute,
                   (int device, cudaGraphMemAttributeType attribute, void* value), (device, attribute, value))
HEDDLE_DRIVER_SAME(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute,
                   (int device, cudaGraphMemAttributeType attribute, void* value), (device, attribute, value))

// Edges. The functions of before CUDA 12.3 have no data of edges.
extern "C" {
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, Node* from, Node* to, Edge* edges, std::size_t* count);
cudaError_t cudaGraphNodeGetDependencies(Node node, Node* nodes, Edge* edges, std::size_t* count);
cudaError_t cudaGraphNodeGetDependentNodes(Node node, Node* nodes, Edge* edges, std::size_t* count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const Node* from, const Node* to, const Edge* edges,
                                     std::size_t count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const Node* from, const Node* to, const Edge* edges,
                                        std::size_t count);
}
HEDDLE_DRIVER_BY(cuGraphGetEdges, (cudaGraph_t graph, Node* from, Node* to, std::size_t* count),
                 cudaGraphGetEdges(graph, from, to, nullptr, count))
HEDDLE_DRIVER_BY(cuGraphGetEdges_v2, (cudaGraph_t graph, Node* from, Node* to, Edge* edges, std::size_t* count),
                 cudaGraphGetEdges(graph, from, to, edges, count))
HEDDLE_DRIVER_BY(cuGraphNodeGetDependencies, (Node node, Node* nodes, std::size_t* count),
                 cudaGraphNodeGetDependencies(node, nodes, nullptr, count))
HEDDLE_DRIVER_BY(cuGraphNodeGetDependencies_v2, (Node node, Node* nodes, Edge* edges, std::size_t* count),
                 cudaGraphNodeGetDependencies(node, nodes, edges, count))
HEDDLE_DRIVER_BY(cuGraphNodeGetDependentNodes, (Node node, Node* nodes, std::size_t* count),
                 cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count))
HEDDLE_DRIVER_BY(cuGraphNodeGetDependentNodes_v2, (Node node, Node* nodes, Edge* edges, std::size_t* count),
                 cudaGraphNodeGetDependentNodes(node, nodes, edges, count))
HEDDLE_DRIVER_BY(cuGraphAddDependencies, (cudaGraph_t graph, const Node* from, const Node* to, std::size_t count),
                 cudaGraphAddDependencies(graph, from, to, nullptr, count))
HEDDLE_DRIVER_BY(cuGraphAddDependencies_v2,
                 (cudaGraph_t graph, const Node* from, const Node* to, const Edge* edges, std::size_t count),
                 cudaGraphAddDependencies(graph, from, to, edges, count))
HEDDLE_DRIVER_BY(cuGraphRemoveDependencies, (cudaGraph_t graph, const Node* from, const Node* to, std::size_t count),
                 cudaGraphRemoveDependencies(graph, from, to, nullptr, count))
HEDDLE_DRIVER_BY(cuGraphRemoveDependencies_v2,
                 (cudaGraph_t graph, const Node* from, const Node* to, const Edge* edges, std::size_t count),
                 cudaGraphRemoveDependencies(graph, from, to, edges, count))

// Executable graphs.
HEDDLE_DRIVER_SAME(cuGraphExecDestroy, cudaGraphExecDestroy, (cudaGraphExec_t exec), (exec))
HEDDLE_DRIVER_SAME(cuGraphExecGetFlags, cudaGraphExecGetFlags, (cudaGraphExec_t exec, unsigned long long* flags),
                   (exec, flags))
HEDDLE_DRIVER_SAME(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled, (cudaGraphExec_t exec, Node node, unsigned enabled),
                   (exec, node, enabled))
HEDDLE_DRIVER_SAME(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled, (cudaGraphExec_t exec, Node node, unsigned* enabled),
                   (exec, node, enabled))
HEDDLE_DRIVER_SAME(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
                   (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags), (exec, graph, flags))

extern "C" {
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphInstantiateParams* p);
cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                cudaGraphInstantiateParams* p);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
}
HEDDLE_DRIVER_BY_SZ(cuGraphInstantiateWithParams,
                    (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams* p),
                    per_thread ? cudaGraphInstantiateWithParams_ptsz(exec, graph, p)
                               : cudaGraphInstantiateWithParams(exec, graph, p))
HEDDLE_DRIVER_BY_SZ(cuGraphLaunch, (cudaGraphExec_t exec, CUstream stream), cudaGraphLaunch(exec, own(stream)))
HEDDLE_DRIVER_BY_SZ(cuGraphUpload, (cudaGraphExec_t exec, CUstream stream), cudaGraphUpload(exec, own(stream)))
HEDDLE_DRIVER_BY(cuGraphExecUpdate_v2, (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result),
                 cudaGraphExecUpdate(exec, graph, result))

namespace {

// With the invalid node, and a sentence about what is wrong.
CUresult instantiate(const char* name, cudaGraphExec_t* exec, cudaGraph_t graph, Node* bad, char* log,
                     std::size_t size) {
  if (bad) *bad = nullptr;
  if (log && size > 0) *log = 0;
  return in_context(name, [&](Context& context) {
    require(exec, cudaErrorInvalidValue, "no place for the executable graph");
    try {
      *exec = &instantiate_call(context, graph, 0, bad);
    } catch (const std::exception& error) {
      if (log && size > 0) {
        std::strncpy(log, error.what(), size - 1);
        log[size - 1] = 0;
      }
      throw;
    }
  });
}

}  // namespace

#undef cuGraphInstantiate
HEDDLE_DRIVER_API cuGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, Node* bad, char* log, std::size_t size) {
  HEDDLE_ARGUMENTS(exec, graph, bad, log, size);
  return instantiate(__func__, exec, graph, bad, log, size);
}
HEDDLE_DRIVER_API cuGraphInstantiate_v2(cudaGraphExec_t* exec, cudaGraph_t graph, Node* bad, char* log,
                                        std::size_t size) {
  HEDDLE_ARGUMENTS(exec, graph, bad, log, size);
  return instantiate(__func__, exec, graph, bad, log, size);
}
HEDDLE_DRIVER_API cuGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, Node* bad,
                                    cudaGraphExecUpdateResult* result) {
  HEDDLE_ARGUMENTS(exec, graph, bad, result);
  cudaGraphExecUpdateResultInfo info{cudaGraphExecUpdateError, nullptr, nullptr};
  const CUresult code = driver(__func__, [&] { check(cudaGraphExecUpdate(exec, graph, &info)); });
  if (result) *result = info.result;
  if (bad) *bad = info.errorNode;
  return code;
}
