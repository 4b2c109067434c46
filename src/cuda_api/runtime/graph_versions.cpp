// What differs from one version of CUDA to the next: edge data came into the signatures with _v2 and _v3 names, which
// CUDA 13 has made the plain ones.
#include <cstring>

#include "cuda_api/runtime/graph_exec.hpp"

using namespace heddle::cuda_api;

namespace {

cudaError_t dependencies(const char* function, cudaGraphNode_t node, bool into, cudaGraphNode_t* nodes,
                         cudaGraphEdgeData* edges, std::size_t* count) {
  return guarded(function, [&] {
    const CUgraphNode_st& asked = node_of(node);
    neighbours_call(into ? asked.in : asked.out, nodes, edges, count);
  });
}

cudaError_t all_edges(const char* function, cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                      cudaGraphEdgeData* edges, std::size_t* count) {
  return guarded(function, [&] { edges_call(graph, from, to, edges, count); });
}

cudaError_t change_edges(const char* function, cudaGraph_t graph, const cudaGraphNode_t* from,
                         const cudaGraphNode_t* to, const cudaGraphEdgeData* edges, std::size_t count, bool add) {
  return guarded(function, [&] { connect_call(graph, from, to, edges, count, add); });
}

cudaError_t add_any(const char* function, cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* behind,
                    const cudaGraphEdgeData* edges, std::size_t count, cudaGraphNodeParams* p) {
  return add_to_graph(function, node, graph, behind, count, edges, [&](Context& context, CUgraph_st& into) {
    require(p, cudaErrorInvalidValue, "no parameters");
    return command_of(context, *p, into);
  });
}

}  // namespace

#if HEDDLE_CUDART_MAJOR >= 13
#define WITH_EDGES(name) name
#else
#define WITH_EDGES(name) name##_v2

HEDDLE_CUDA_SZ(cudaStreamGetCaptureInfo, (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id),
               { return capture_info_call(__func__, stream, per_thread, {status, id}); })
HEDDLE_CUDA_SZ(cudaStreamGetCaptureInfo_v2,
               (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                const cudaGraphNode_t** nodes, std::size_t* count),
               { return capture_info_call(__func__, stream, per_thread, {status, id, graph, nodes, nullptr, count}); })
HEDDLE_CUDA_SZ(cudaStreamUpdateCaptureDependencies,
               (cudaStream_t stream, cudaGraphNode_t* nodes, std::size_t count, unsigned flags),
               { return update_capture_call(__func__, stream, per_thread, nodes, nullptr, count, flags); })

HEDDLE_CUDA_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                              std::size_t* count) {
  return all_edges(__func__, graph, from, to, nullptr, count);
}
HEDDLE_CUDA_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                         std::size_t* count) {
  return dependencies(__func__, node, true, nodes, nullptr, count);
}
HEDDLE_CUDA_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                           std::size_t* count) {
  return dependencies(__func__, node, false, nodes, nullptr, count);
}
HEDDLE_CUDA_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                     const cudaGraphNode_t* to, std::size_t count) {
  return change_edges(__func__, graph, from, to, nullptr, count, true);
}
HEDDLE_CUDA_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                        const cudaGraphNode_t* to, std::size_t count) {
  return change_edges(__func__, graph, from, to, nullptr, count, false);
}
HEDDLE_CUDA_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* behind,
                                             std::size_t count, cudaGraphNodeParams* p) {
  return add_any(__func__, node, graph, behind, nullptr, count, p);
}
#endif

HEDDLE_CUDA_API cudaError_t WITH_EDGES(cudaGraphGetEdges)(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                                          cudaGraphEdgeData* edges, std::size_t* count) {
  return all_edges(__func__, graph, from, to, edges, count);
}
HEDDLE_CUDA_API cudaError_t WITH_EDGES(cudaGraphNodeGetDependencies)(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                                     cudaGraphEdgeData* edges, std::size_t* count) {
  return dependencies(__func__, node, true, nodes, edges, count);
}
HEDDLE_CUDA_API cudaError_t WITH_EDGES(cudaGraphNodeGetDependentNodes)(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                                       cudaGraphEdgeData* edges, std::size_t* count) {
  return dependencies(__func__, node, false, nodes, edges, count);
}
HEDDLE_CUDA_API cudaError_t WITH_EDGES(cudaGraphAddDependencies)(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                                 const cudaGraphNode_t* to,
                                                                 const cudaGraphEdgeData* edges, std::size_t count) {
  return change_edges(__func__, graph, from, to, edges, count, true);
}
HEDDLE_CUDA_API cudaError_t WITH_EDGES(cudaGraphRemoveDependencies)(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                                    const cudaGraphNode_t* to,
                                                                    const cudaGraphEdgeData* edges, std::size_t count) {
  return change_edges(__func__, graph, from, to, edges, count, false);
}
HEDDLE_CUDA_API cudaError_t WITH_EDGES(cudaGraphAddNode)(cudaGraphNode_t* node, cudaGraph_t graph,
                                                         const cudaGraphNode_t* behind, const cudaGraphEdgeData* edges,
                                                         std::size_t count, cudaGraphNodeParams* p) {
  return add_any(__func__, node, graph, behind, edges, count, p);
}

#if HEDDLE_CUDART_MAJOR >= 13
#define CAPTURE_INFO cudaStreamGetCaptureInfo
#define UPDATE_CAPTURE cudaStreamUpdateCaptureDependencies
#else
#define CAPTURE_INFO cudaStreamGetCaptureInfo_v3
#define UPDATE_CAPTURE cudaStreamUpdateCaptureDependencies_v2
#endif

HEDDLE_CUDA_SZ(CAPTURE_INFO,
               (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges, std::size_t* count),
               { return capture_info_call(__func__, stream, per_thread, {status, id, graph, nodes, edges, count}); })
HEDDLE_CUDA_SZ(UPDATE_CAPTURE,
               (cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges, std::size_t count,
                unsigned flags),
               { return update_capture_call(__func__, stream, per_thread, nodes, edges, count, flags); })

#if HEDDLE_CUDART_MAJOR >= 12
HEDDLE_CUDA_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return with_context(__func__, [&](Context& context) {
    require(exec, cudaErrorInvalidValue, "no place for the executable graph");
    *exec = &instantiate_call(context, graph, flags, nullptr);
  });
}

HEDDLE_CUDA_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                cudaGraphExecUpdateResultInfo* result) {
  if (result) *result = {cudaGraphExecUpdateError, nullptr, nullptr};
  return with_context(__func__, [&](Context&) {
    require(result, cudaErrorInvalidValue, "no place for the result");
    *result = update_call(exec, graph);
    require(result->result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure,
            "the graph does not have the executable graph's shape, or changes what cannot be changed");
  });
}
#else
// `log`: a sentence about what is wrong.
HEDDLE_CUDA_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* bad,
                                                 char* log, std::size_t size) {
  if (bad) *bad = nullptr;
  if (log && size > 0) *log = 0;
  return with_context(__func__, [&](Context& context) {
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

HEDDLE_CUDA_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* bad,
                                                cudaGraphExecUpdateResult* result) {
  if (result) *result = cudaGraphExecUpdateError;
  if (bad) *bad = nullptr;
  return with_context(__func__, [&](Context&) {
    require(result, cudaErrorInvalidValue, "no place for the result");
    const cudaGraphExecUpdateResultInfo info = update_call(exec, graph);
    *result = info.result;
    if (bad) *bad = info.errorNode;
    require(info.result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure,
            "the graph does not have the executable graph's shape, or changes what cannot be changed");
  });
}
#endif
