// What a program may set for a device: limits, and how its caches and shared memory are to be used, which Heddle leaves
// to the device.
#include <algorithm>

#include "cuda_api/core/attributes.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

template <class F>
void with_settings(Context& context, F&& f) {
  context.settings.with(context.epoch(), f);
}

std::size_t& limit_of(DeviceSettings& settings, int limit) {
  switch (limit) {
    case cudaLimitStackSize: return settings.stack;
    case cudaLimitPrintfFifoSize: return settings.printf_buffer;
    case cudaLimitMallocHeapSize: return settings.heap;
    case cudaLimitMaxL2FetchGranularity: return settings.granularity;
    case cudaLimitDevRuntimeSyncDepth:
    case cudaLimitDevRuntimePendingLaunchCount:
      throw Failure(cudaErrorUnsupportedLimit, "kernels do not launch kernels on Heddle: no limits for that");
    case cudaLimitPersistingL2CacheSize: return settings.persisting;
    default: throw Failure(cudaErrorInvalidValue, std::to_string(limit) + " is no limit");
  }
}

cudaError_t get_limit(const char* function, std::size_t* value, int limit) {
  return with_context(function, [&](Context& context) {
    require(value, cudaErrorInvalidValue, "no place for the limit");
    with_settings(context, [&](DeviceSettings& settings) { *value = limit_of(settings, limit); });
  });
}

cudaError_t set_limit(const char* function, int limit, std::size_t value) {
  return with_context(function, [&](Context& context) {
    // A hint, which the device cuts to what it could set aside.
    if (limit == cudaLimitPersistingL2CacheSize)
      value = std::min(value, static_cast<std::size_t>(std::max(attribute(context, 108).value_or(0), 0)));
    with_settings(context, [&](DeviceSettings& settings) { limit_of(settings, limit) = value; });
  });
}

cudaError_t get_cache(const char* function, cudaFuncCache* config) {
  return with_context(function, [&](Context& context) {
    require(config, cudaErrorInvalidValue, "no place for the configuration");
    with_settings(context, [&](DeviceSettings& settings) { *config = settings.cache; });
  });
}

cudaError_t set_cache(const char* function, cudaFuncCache config) {
  return with_context(function, [&](Context& context) {
    require(static_cast<unsigned>(config) <= cudaFuncCachePreferEqual, cudaErrorInvalidValue, "no such configuration");
    with_settings(context, [&](DeviceSettings& settings) { settings.cache = config; });
  });
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaDeviceGetLimit(std::size_t* value, int limit) {
  return get_limit(__func__, value, limit);
}
HEDDLE_CUDA_API cudaError_t cudaDeviceSetLimit(int limit, std::size_t value) {
  return set_limit(__func__, limit, value);
}
HEDDLE_CUDA_API cudaError_t cudaThreadGetLimit(std::size_t* value, int limit) {
  return get_limit(__func__, value, limit);
}
HEDDLE_CUDA_API cudaError_t cudaThreadSetLimit(int limit, std::size_t value) {
  return set_limit(__func__, limit, value);
}
HEDDLE_CUDA_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) { return get_cache(__func__, config); }
HEDDLE_CUDA_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) { return set_cache(__func__, config); }
HEDDLE_CUDA_API cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) { return get_cache(__func__, config); }
HEDDLE_CUDA_API cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return set_cache(__func__, config); }

// Banks of four bytes are what there is since compute capability 5.0.
HEDDLE_CUDA_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return with_context(__func__, [&](Context& context) {
    require(config, cudaErrorInvalidValue, "no place for the configuration");
    with_settings(context, [&](DeviceSettings& settings) { *config = settings.banks; });
  });
}
HEDDLE_CUDA_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return with_context(__func__, [&](Context&) {
    require(static_cast<unsigned>(config) <= cudaSharedMemBankSizeEightByte, cudaErrorInvalidValue,
            "no such configuration");
  });
}
HEDDLE_CUDA_API cudaError_t cudaCtxResetPersistingL2Cache() {
  return with_context(__func__, [](Context&) {});
}
// Of CUDA 1: devices that had no double precision.
HEDDLE_CUDA_API cudaError_t cudaSetDoubleForDevice(double*) { return cudaSuccess; }
HEDDLE_CUDA_API cudaError_t cudaSetDoubleForHost(double*) { return cudaSuccess; }
