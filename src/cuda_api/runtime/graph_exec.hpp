// The shared parts of the functions that differ from one version of CUDA to the next.
#pragma once

#include "cuda_api/runtime/graph_call.hpp"

namespace heddle::cuda_api {

// With `bad`, the node that is invalid, if it is a node.
CUgraphExec_st& instantiate_call(Context& context, cudaGraph_t graph, unsigned long long flags, CUgraphNode_st** bad);
cudaGraphExecUpdateResultInfo update_call(cudaGraphExec_t exec, cudaGraph_t graph);

// `edges` null: only plain ones can be returned, cudaErrorLossyQuery for others.
void edges_call(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                std::size_t* count);
void neighbours_call(const std::vector<GraphEdge>& all, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                     std::size_t* count);
void connect_call(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                  const cudaGraphEdgeData* edges, std::size_t count, bool add);

// Places that are null are not filled.
struct CaptureAnswer {
  cudaStreamCaptureStatus* status = nullptr;
  unsigned long long* id = nullptr;
  cudaGraph_t* graph = nullptr;
  const cudaGraphNode_t** nodes = nullptr;
  const cudaGraphEdgeData** edges = nullptr;
  std::size_t* count = nullptr;
};
cudaError_t capture_info_call(const char* function, cudaStream_t stream, bool per_thread, const CaptureAnswer& answer);
cudaError_t update_capture_call(const char* function, cudaStream_t stream, bool per_thread, cudaGraphNode_t* nodes,
                                const cudaGraphEdgeData* edges, std::size_t count, unsigned flags);

}  // namespace heddle::cuda_api
