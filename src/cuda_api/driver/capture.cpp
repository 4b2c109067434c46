// Stream capture.
#include "cuda_api/driver/same.hpp"
#include "cuda_api/runtime/graph_exec.hpp"

using namespace heddle::cuda_api;

extern "C" {
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* nodes,
                                          const cudaGraphEdgeData* edges, std::size_t count,
                                          cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
}

// The enumerations of both APIs have the same numbers.
namespace {
cudaStreamCaptureMode mode_of(CUstreamCaptureMode mode) { return static_cast<cudaStreamCaptureMode>(mode); }
cudaStreamCaptureStatus* place(CUstreamCaptureStatus* status) {
  return reinterpret_cast<cudaStreamCaptureStatus*>(status);
}
}  // namespace

extern "C" cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode);
HEDDLE_DRIVER_BY(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode),
                 cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)))

// The names with versions are macros in the headers.
#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo
#undef cuStreamUpdateCaptureDependencies

// Of CUDA 10.0, before there were modes.
HEDDLE_DRIVER_BY_SZ(cuStreamBeginCapture, (CUstream stream),
                    cudaStreamBeginCapture(own(stream), cudaStreamCaptureModeGlobal))
HEDDLE_DRIVER_BY_SZ(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode),
                    cudaStreamBeginCapture(own(stream), mode_of(mode)))
HEDDLE_DRIVER_BY_SZ(cuStreamBeginCaptureToGraph,
                    (CUstream stream, cudaGraph_t graph, const cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges,
                     std::size_t count, CUstreamCaptureMode mode),
                    cudaStreamBeginCaptureToGraph(own(stream), graph, nodes, edges, count, mode_of(mode)))
HEDDLE_DRIVER_BY_SZ(cuStreamEndCapture, (CUstream stream, cudaGraph_t* graph), cudaStreamEndCapture(own(stream), graph))

HEDDLE_DRIVER_BY_SZ(cuStreamGetCaptureInfo, (CUstream stream, CUstreamCaptureStatus* status, unsigned long long* id),
                    capture_info_call(__func__, stream, per_thread, {place(status), id}))
HEDDLE_DRIVER_BY_SZ(cuStreamGetCaptureInfo_v2,
                    (CUstream stream, CUstreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                     const cudaGraphNode_t** nodes, std::size_t* count),
                    capture_info_call(__func__, stream, per_thread, {place(status), id, graph, nodes, nullptr, count}))
HEDDLE_DRIVER_BY_SZ(cuStreamGetCaptureInfo_v3,
                    (CUstream stream, CUstreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                     const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges, std::size_t* count),
                    capture_info_call(__func__, stream, per_thread, {place(status), id, graph, nodes, edges, count}))
HEDDLE_DRIVER_BY_SZ(cuStreamUpdateCaptureDependencies,
                    (CUstream stream, cudaGraphNode_t* nodes, std::size_t count, unsigned flags),
                    update_capture_call(__func__, stream, per_thread, nodes, nullptr, count, flags))
HEDDLE_DRIVER_BY_SZ(cuStreamUpdateCaptureDependencies_v2,
                    (CUstream stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges, std::size_t count,
                     unsigned flags),
                    update_capture_call(__func__, stream, per_thread, nodes, edges, count, flags))
