// The last error of a thread, and what errors are called.
#include <utility>

#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

// An error that has ended the context stays.
cudaError_t sticky_error() noexcept {
  try {
    return Process::get().current().sticky();
  } catch (...) {
    return cudaSuccess;
  }
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaGetLastError() {
  const cudaError_t last = std::exchange(thread_state().last_error, cudaSuccess);
  return last == cudaSuccess || !is_sticky(last) ? last : (thread_state().last_error = sticky_error(), last);
}

HEDDLE_CUDA_API cudaError_t cudaPeekAtLastError() { return thread_state().last_error; }

HEDDLE_CUDA_API const char* cudaGetErrorName(cudaError_t error) { return name_of(error); }

HEDDLE_CUDA_API const char* cudaGetErrorString(cudaError_t error) { return text_of(error); }
