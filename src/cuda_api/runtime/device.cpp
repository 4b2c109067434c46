// Devices: which there are, which one a thread uses, and waiting for them. Properties are in properties.cpp.
#include "cuda_api/core/attributes.hpp"
#include "cuda_api/core/capture.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/core/reset.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

HEDDLE_CUDA_API cudaError_t cudaGetDeviceCount(int* count) {
  HEDDLE_ARGUMENTS(count);
  return guarded(__func__, [&] {
    require(count, cudaErrorInvalidValue, "no place for the number");
    *count = Process::get().device_count();
  });
}
HEDDLE_CUDA_API cudaError_t cudaGetDevice(int* device) {
  HEDDLE_ARGUMENTS(device);
  return guarded(__func__, [&] {
    require(device, cudaErrorInvalidValue, "no place for the number");
    *device = thread_state().device;
  });
}
HEDDLE_CUDA_API cudaError_t cudaSetDevice(int device) {
  HEDDLE_ARGUMENTS(device);
  return guarded(__func__, [&] { Process::get().use_device(device); });
}
HEDDLE_CUDA_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  HEDDLE_ARGUMENTS(device);
  return guarded(__func__, [&] { Process::get().context(device); });
}
HEDDLE_CUDA_API cudaError_t cudaSetValidDevices(int* devices, int count) {
  HEDDLE_ARGUMENTS(devices, count);
  return guarded(__func__, [&] {
    for (int i = 0; i < count; ++i) Process::get().context(devices[i]);
    if (count > 0) Process::get().use_device(devices[0]);
  });
}
HEDDLE_CUDA_API cudaError_t cudaDeviceSynchronize() {
  return waiting_in_context(__func__, [&](Context& context) {
    forbid_device_wait(context);
    context.synchronize();
  });
}
HEDDLE_CUDA_API cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }

// All that the device holds goes: memory, streams, modules with their variables, and the error that ended the context.
HEDDLE_CUDA_API cudaError_t cudaDeviceReset() {
  return guarded(__func__, [&] {
    Context& context = Process::get().current();
    reset_context(context);
    if (context.primary()) registry().reset_managed(context);
    thread_state().last_error = cudaSuccess;
  });
}
HEDDLE_CUDA_API cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

// How the host waits is Heddle's to choose.
HEDDLE_CUDA_API cudaError_t cudaSetDeviceFlags(unsigned) {
  return guarded(__func__, [&] { Process::get(); });
}
HEDDLE_CUDA_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  HEDDLE_ARGUMENTS(flags);
  return guarded(__func__, [&] {
    require(flags, cudaErrorInvalidValue, "no place for the flags");
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
  });
}

HEDDLE_CUDA_API cudaError_t cudaDriverGetVersion(int* version) {
  HEDDLE_ARGUMENTS(version);
  return guarded(__func__, [&] {
    require(version, cudaErrorInvalidValue, "no place for the version");
    *version = driver_version;
  });
}
HEDDLE_CUDA_API cudaError_t cudaRuntimeGetVersion(int* version) {
  HEDDLE_ARGUMENTS(version);
  return guarded(__func__, [&] {
    require(version, cudaErrorInvalidValue, "no place for the version");
    *version = HEDDLE_CUDART_MAJOR * 1000;
  });
}
HEDDLE_CUDA_API cudaError_t cudaProfilerStart() { return cudaSuccess; }
HEDDLE_CUDA_API cudaError_t cudaProfilerStop() { return cudaSuccess; }
