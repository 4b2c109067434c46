// What Heddle does not do, by name: programs that carry such a call run until they make it.
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

// Whatever their arguments are, the caller clears them away.
#define HEDDLE_REFUSED(NAME, WHAT)                         \
  HEDDLE_CUDA_API cudaError_t NAME() {                     \
    return guarded(__func__, [] { not_supported(WHAT); }); \
  }
#include "cuda_api/runtime/refused.def"
#undef HEDDLE_REFUSED

// Of NVIDIA's own static libraries.
HEDDLE_CUDA_API cudaError_t __cudaGetProcAddress() {
  return guarded(__func__, [] { not_supported("an internal function of NVIDIA's libraries"); });
}

HEDDLE_CUDA_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
