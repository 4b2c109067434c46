// Stream capture.
#include "cuda_api/core/capture.hpp"
#include "cuda_api/runtime/graph_exec.hpp"

namespace heddle::cuda_api {

cudaError_t capture_info_call(const char* function, cudaStream_t stream, bool per_thread, const CaptureAnswer& answer) {
  return with_context(function, [&](Context& context) {
    require(answer.status, cudaErrorInvalidValue, "no place for the status");
    const CaptureInfo info = capture_info(context.stream(stream, per_thread));
    *answer.status = info.status;
    if (info.status != cudaStreamCaptureStatusActive) return;
    if (answer.nodes && !answer.edges)
      for (const cudaGraphEdgeData& edge : info.tips->edges)
        require(edge.from_port == 0 && edge.type == 0, cudaErrorLossyQuery,
                "an edge has data, for which there is no place");
    if (answer.id) *answer.id = info.id;
    if (answer.graph) *answer.graph = info.graph;
    if (answer.nodes) *answer.nodes = info.tips->nodes.data();
    if (answer.edges) *answer.edges = info.tips->edges.data();
    if (answer.count) *answer.count = info.tips->nodes.size();
  });
}

cudaError_t update_capture_call(const char* function, cudaStream_t stream, bool per_thread, cudaGraphNode_t* nodes,
                                const cudaGraphEdgeData* edges, std::size_t count, unsigned flags) {
  return with_context(function, [&](Context& context) {
    require(flags <= cudaStreamSetCaptureDependencies, cudaErrorInvalidValue, "unknown flags");
    update_capture(context.stream(stream, per_thread), list_of<cudaGraphNode_t>(nodes, count), edges,
                   flags == cudaStreamSetCaptureDependencies);
  });
}

}  // namespace heddle::cuda_api

using namespace heddle::cuda_api;

namespace {

cudaError_t begin(const char* function, cudaStream_t stream, cudaStreamCaptureMode mode, bool per_thread) {
  return with_context(function, [&](Context& context) {
    begin_capture(context.stream(stream, per_thread), mode, nullptr, {}, nullptr);
  });
}

cudaError_t begin_to(const char* function, cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* nodes,
                     const cudaGraphEdgeData* edges, std::size_t count, cudaStreamCaptureMode mode, bool per_thread) {
  return with_context(function, [&](Context& context) {
    begin_capture(context.stream(stream, per_thread), mode, &graph_of(graph), list_of(nodes, count), edges);
  });
}

cudaError_t end(const char* function, cudaStream_t stream, cudaGraph_t* graph, bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUstream_st& of = context.stream(stream, per_thread);
    require(graph || captures_to_given_graph(of), cudaErrorInvalidValue, "no place for the graph");
    if (graph) *graph = nullptr;
    CUgraph_st& made = end_capture(of);
    if (graph) *graph = &made;
  });
}

cudaError_t is_capturing(const char* function, cudaStream_t stream, cudaStreamCaptureStatus* status, bool per_thread) {
  CaptureAnswer answer;
  answer.status = status;
  return capture_info_call(function, stream, per_thread, answer);
}

}  // namespace

HEDDLE_CUDA_SZ(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode),
               { return begin(__func__, stream, mode, per_thread); })
HEDDLE_CUDA_SZ(cudaStreamBeginCaptureToGraph,
               (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges,
                std::size_t count, cudaStreamCaptureMode mode),
               { return begin_to(__func__, stream, graph, nodes, edges, count, mode, per_thread); })
HEDDLE_CUDA_SZ(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* graph),
               { return end(__func__, stream, graph, per_thread); })
HEDDLE_CUDA_SZ(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status),
               { return is_capturing(__func__, stream, status, per_thread); })
HEDDLE_CUDA_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return guarded(__func__, [&] {
    require(mode, cudaErrorInvalidValue, "no mode");
    *mode = exchange_capture_mode(*mode);
  });
}
