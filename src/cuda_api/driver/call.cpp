#include "cuda_api/driver/call.hpp"

#include <fmt/format.h>

#include "cuda_api/core/fork.hpp"
#include "cuda_api/driver/refused.hpp"

namespace heddle::cuda_api {

CUresult result_of(cudaError_t code) {
  switch (code) {
    // The runtime API tells these apart.
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorMissingConfiguration: return CUDA_ERROR_INVALID_VALUE;
    default: break;
  }
  switch (static_cast<int>(code)) {
#define HEDDLE_DRIVER_ERROR(name, number) \
  case number: return name;
#include "cuda_api/driver/errors.def"
#undef HEDDLE_DRIVER_ERROR
    default: return CUDA_ERROR_UNKNOWN;
  }
}

namespace {

Process& process() {
  require_not_forked();
  if (!Process::if_made()) throw Failure(cudaErrorInitializationError, "cuInit comes before all else");
  return Process::get();
}

}  // namespace

Context& context_of(CUcontext handle) {
  auto* const context = reinterpret_cast<Context*>(handle);
  if (!process().contexts.has(context))
    throw Failure(cudaErrorDeviceUninitialized, "the context was not made, or was destroyed");
  return *context;
}

Context& current_context() {
  Process& all = process();
  const ThreadState& thread = thread_state();
  if (thread.contexts.empty())
    throw Failure(cudaErrorDeviceUninitialized,
                  "the thread has no context; cuCtxSetCurrent or cuCtxCreate gives it one");
  Context& context = *thread.contexts.back();
  if (!context.primary() && !all.contexts.has(&context))
    throw Failure(cudaErrorContextIsDestroyed, "the thread's context was destroyed");
  all.enter(context);
  return context;
}

Context* current_context_if_any() { return thread_state().contexts.empty() ? nullptr : &current_context(); }

Context& any_context() {
  const Process& all = process();
  const ThreadState& thread = thread_state();
  const bool alive = !thread.contexts.empty() && all.contexts.has(thread.contexts.back());
  return alive ? current_context() : device_context(0);
}

Context& device_context(CUdevice device) { return process().context(device); }

Context& stream_context(CUstream stream) {
  if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD) return current_context();
  if (!process().handles.streams.is_alive(stream))
    throw Failure(cudaErrorInvalidResourceHandle, "the stream was not made, or was destroyed");
  return *stream->context;
}

CUevent_st& event_of(CUevent event) {
  if (!process().handles.events.is_alive(event))
    throw Failure(cudaErrorInvalidResourceHandle, "the event was not made, or was destroyed");
  return *event;
}

int refuse(const char* function, const char* what) noexcept {
  return driver(function, [&] {
    throw Failure(cudaErrorNotSupported, fmt::format("Heddle does not support this function, which is for {}", what));
  });
}

}  // namespace heddle::cuda_api
