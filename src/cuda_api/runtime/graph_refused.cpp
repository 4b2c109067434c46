// What graphs of CUDA can have and Heddle's cannot.
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

cudaError_t refuse(const char* function, const char* what) {
  return guarded(function, [&] { not_supported(what); });
}

constexpr const char* semaphores = "a node of a graph for an external semaphore";

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaGraphAddExternalSemaphoresSignalNode(cudaGraphNode_t*, cudaGraph_t,
                                                                     const cudaGraphNode_t*, std::size_t, const void*) {
  return refuse(__func__, semaphores);
}
HEDDLE_CUDA_API cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(cudaGraphNode_t, void*) {
  return refuse(__func__, semaphores);
}
HEDDLE_CUDA_API cudaError_t cudaGraphExternalSemaphoresSignalNodeSetParams(cudaGraphNode_t, const void*) {
  return refuse(__func__, semaphores);
}
HEDDLE_CUDA_API cudaError_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(cudaGraphExec_t, cudaGraphNode_t,
                                                                               const void*) {
  return refuse(__func__, semaphores);
}

HEDDLE_CUDA_API cudaError_t cudaGraphAddExternalSemaphoresWaitNode(cudaGraphNode_t*, cudaGraph_t,
                                                                   const cudaGraphNode_t*, std::size_t, const void*) {
  return refuse(__func__, semaphores);
}
HEDDLE_CUDA_API cudaError_t cudaGraphExternalSemaphoresWaitNodeGetParams(cudaGraphNode_t, void*) {
  return refuse(__func__, semaphores);
}
HEDDLE_CUDA_API cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(cudaGraphNode_t, const void*) {
  return refuse(__func__, semaphores);
}
HEDDLE_CUDA_API cudaError_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(cudaGraphExec_t, cudaGraphNode_t,
                                                                             const void*) {
  return refuse(__func__, semaphores);
}
