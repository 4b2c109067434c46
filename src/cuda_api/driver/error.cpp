// What errors are called, and starting up.
#include "cuda_api/core/attributes.hpp"
#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

namespace {

const char* driver_name(CUresult error) {
  switch (static_cast<int>(error)) {
#define HEDDLE_DRIVER_ERROR(name, number) \
  case number: return #name;
#include "cuda_api/driver/errors.def"
#undef HEDDLE_DRIVER_ERROR
    default: return nullptr;
  }
}

}  // namespace

// By this Heddle's CUDA device knows that a libcuda.so.1 is not NVIDIA's.
extern "C" __attribute__((visibility("default"))) int heddle_own_libcuda() { return 1; }

// Heddle itself asks when it looks for GPUs and finds this library instead of NVIDIA's.
HEDDLE_DRIVER_API cuInit(unsigned flags) {
  if (Process::is_under_way()) return CUDA_ERROR_NO_DEVICE;
  return driver(__func__, [&] {
    require(flags == 0, cudaErrorInvalidValue, "cuInit takes no flags");
    Process::get();
  });
}

HEDDLE_DRIVER_API cuDriverGetVersion(int* version) {
  return driver(__func__, [&] {
    require(version, cudaErrorInvalidValue, "no place for the version");
    *version = driver_version;
  });
}

HEDDLE_DRIVER_API cuGetErrorName(CUresult error, const char** name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  *name = driver_name(error);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

namespace {

// Where the runtime API says something else of the same number, or has none.
const char* driver_text(CUresult error) {
  switch (error) {
    case CUDA_ERROR_DEINITIALIZED: return "driver shutting down";
    case CUDA_ERROR_INVALID_CONTEXT: return "invalid device context";
    case CUDA_ERROR_CONTEXT_ALREADY_CURRENT: return "context already current";
    case CUDA_ERROR_KEY_ROTATION: return "key rotation in progress";
    default: return text_of(static_cast<cudaError_t>(error));
  }
}

}  // namespace

HEDDLE_DRIVER_API cuGetErrorString(CUresult error, const char** text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = driver_name(error) ? driver_text(error) : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Profilers that watch a CUDA program have nothing to see here.
HEDDLE_DRIVER_API cuProfilerStart() { return CUDA_SUCCESS; }
HEDDLE_DRIVER_API cuProfilerStop() { return CUDA_SUCCESS; }
