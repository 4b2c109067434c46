// How every function of the driver API runs: by the functions of libcudart, with the thread's context and with CUresult
// codes. Errors are reported with the driver function's name, and do not become the runtime API's last error.
#pragma once

#include <utility>

#include "cuda_api/abi/driver.hpp"
#include "cuda_api/runtime/call.hpp"

#define HEDDLE_DRIVER_API extern "C" __attribute__((visibility("default"))) CUresult

// A function and its twin with the thread's own default stream (runtime/call.hpp).
#define HEDDLE_DRIVER_DS(name, parameters, ...) HEDDLE_CUDA_TWINS(CUresult, name, _ptds, parameters, __VA_ARGS__)
#define HEDDLE_DRIVER_SZ(name, parameters, ...) HEDDLE_CUDA_TWINS(CUresult, name, _ptsz, parameters, __VA_ARGS__)

namespace heddle::cuda_api {

// Most codes have one number in both APIs.
CUresult result_of(cudaError_t code);

// The thread is in a call of the driver API.
class DriverCall {
 public:
  explicit DriverCall(const char* name) : outer_(std::exchange(thread_state().driver_call, name)) {}
  ~DriverCall() { thread_state().driver_call = outer_; }
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

 private:
  const char* outer_;
};

// Makes a context the calling thread's for a while.
class ContextScope {
 public:
  explicit ContextScope(Context& context) : device_(thread_state().device) {
    thread_state().contexts.push_back(&context);
    thread_state().device = context.number();
  }
  ~ContextScope() {
    thread_state().contexts.pop_back();
    thread_state().device = device_;
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  int device_;
};

inline CUcontext handle_of(Context& context) { return reinterpret_cast<CUcontext>(&context); }
// Throws cudaErrorDeviceUninitialized (CUDA_ERROR_INVALID_CONTEXT) for a context that is invalid, or no longer valid.
Context& context_of(CUcontext handle);
// The thread's; throws cudaErrorInitializationError before cuInit, cudaErrorDeviceUninitialized if there is no context,
// cudaErrorContextIsDestroyed if it was destroyed.
Context& current_context();
// The same, or null where the thread has no context.
Context* current_context_if_any();
// For libraries, which belong to no context: the thread's, or the first device's own where the thread has none. Throws
// cudaErrorInitializationError before cuInit.
Context& any_context();
// Throws cudaErrorInitializationError before cuInit, cudaErrorInvalidDevice.
Context& device_context(CUdevice device);
// The context of a stream: of the default streams the current one. Throws cudaErrorInvalidResourceHandle for a stream
// that was never made, or was destroyed.
Context& stream_context(CUstream stream);
CUevent_st& event_of(CUevent event);

inline CUstream stream_or_own(CUstream stream, bool per_thread) {
  return !stream && per_thread ? CU_STREAM_PER_THREAD : stream;
}

// Throws with the runtime API's code, if a call of it has failed. (That call has reported why.)
class Forwarded : public std::exception {
 public:
  explicit Forwarded(cudaError_t code) : code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};
inline void check(cudaError_t code) {
  if (code != cudaSuccess) throw Forwarded(code);
}

// Runs f(), which may call the runtime API through check().
template <class F>
CUresult driver(const char* name, F&& f) noexcept {
  const DriverCall call(name);
  cudaError_t forwarded = cudaSuccess;
  const cudaError_t failed = guarded(name, [&] {
    try {
      f();
    } catch (const Forwarded& failure) {
      forwarded = failure.code();
    }
  });
  return result_of(failed != cudaSuccess ? failed : forwarded);
}

// The same for functions that need a current context.
template <class F>
CUresult in_context(const char* name, F&& f) noexcept {
  return driver(name, [&] {
    refuse_in_host_function();
    Context& context = current_context();
    context.check_sticky();
    f(context);
  });
}

// The same for functions that need none.
template <class F>
CUresult in_any_context(const char* name, F&& f) noexcept {
  return driver(name, [&] {
    refuse_in_host_function();
    Context& context = any_context();
    context.check_sticky();
    f(context);
  });
}

// The same in the context of a stream.
template <class F>
CUresult on_stream(const char* name, CUstream stream, F&& f) noexcept {
  return driver(name, [&] {
    refuse_in_host_function();
    Context& context = stream_context(stream);
    context.check_sticky();
    const ContextScope scope(context);
    f(context);
  });
}

inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace heddle::cuda_api
