// Streams, and functions of the host in their order.
#include <memory>

#include "cuda_api/driver/call.hpp"
#include "cuda_api/driver/runtime_calls.hpp"

using namespace heddle::cuda_api;

namespace {

CUresult create(const char* name, CUstream* stream, unsigned flags, int priority) {
  return in_context(name, [&](Context&) { check(cudaStreamCreateWithPriority(stream, flags, priority)); });
}

bool is_default(CUstream stream) { return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD; }

CUresult destroy(const char* name, CUstream stream) {
  return on_stream(name, stream, [&](Context&) {
    require(!is_default(stream), cudaErrorInvalidResourceHandle, "a default stream cannot be destroyed");
    check(cudaStreamDestroy(stream));
  });
}

// The driver's form of a callback, which the runtime's calls once.
struct Callback {
  CUstream stream;
  CUstreamCallback function;
  void* data;
};
void call_back(cudaStream_t, cudaError_t status, void* data) {
  const std::unique_ptr<const Callback> callback(static_cast<const Callback*>(data));
  callback->function(callback->stream, static_cast<CUresult>(status), callback->data);
}

CUresult add_callback(const char* name, CUstream stream, CUstreamCallback function, void* data, unsigned flags,
                      bool per_thread) {
  return on_stream(name, stream, [&](Context&) {
    require(function && flags == 0, cudaErrorInvalidValue, "no function, or unknown flags");
    auto callback = std::make_unique<Callback>(stream, function, data);
    check(cudaStreamAddCallback(stream_or_own(stream, per_thread), call_back, callback.get(), 0));
    static_cast<void>(callback.release());  // it may have been called already
  });
}

}  // namespace

HEDDLE_DRIVER_API cuStreamCreate(CUstream* stream, unsigned flags) {
  HEDDLE_ARGUMENTS(stream, flags);
  return create(__func__, stream, flags, 0);
}
HEDDLE_DRIVER_API cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  HEDDLE_ARGUMENTS(stream, flags, priority);
  return create(__func__, stream, flags, priority);
}
HEDDLE_DRIVER_API cuStreamDestroy_v2(CUstream stream) {
  HEDDLE_ARGUMENTS(stream);
  return destroy(__func__, stream);
}
HEDDLE_DRIVER_SZ(cuStreamSynchronize, (CUstream stream), {
  HEDDLE_ARGUMENTS(stream);
  return driver(__func__, [&] {
    refuse_in_host_function();
    const ContextScope scope(stream_context(stream));
    check(cudaStreamSynchronize(stream_or_own(stream, per_thread)));  // also in a context that an error has ended
  });
})
HEDDLE_DRIVER_SZ(cuStreamQuery, (CUstream stream), {
  HEDDLE_ARGUMENTS(stream);
  return on_stream(__func__, stream, [&](Context&) { check(cudaStreamQuery(stream_or_own(stream, per_thread))); });
})
HEDDLE_DRIVER_SZ(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, event, flags);
  return on_stream(__func__, stream, [&](Context&) {
    event_of(event);
    check(cudaStreamWaitEvent(stream_or_own(stream, per_thread), event, flags));
  });
})
HEDDLE_DRIVER_SZ(cuStreamGetFlags, (CUstream stream, unsigned* flags), {
  HEDDLE_ARGUMENTS(stream, flags);
  return on_stream(__func__, stream, [&](Context&) {
    require(flags, cudaErrorInvalidValue, "no place for the flags");
    check(cudaStreamGetFlags(stream_or_own(stream, per_thread), flags));
  });
})
HEDDLE_DRIVER_SZ(cuStreamGetPriority, (CUstream stream, int* priority), {
  HEDDLE_ARGUMENTS(stream, priority);
  return on_stream(__func__, stream, [&](Context&) {
    require(priority, cudaErrorInvalidValue, "no place for the priority");
    check(cudaStreamGetPriority(stream_or_own(stream, per_thread), priority));
  });
})
HEDDLE_DRIVER_SZ(cuStreamGetId, (CUstream stream, unsigned long long* id), {
  HEDDLE_ARGUMENTS(stream, id);
  return on_stream(__func__, stream, [&](Context&) {
    require(id, cudaErrorInvalidValue, "no place for the number");
    check(cudaStreamGetId(stream_or_own(stream, per_thread), id));
  });
})
HEDDLE_DRIVER_SZ(cuStreamGetDevice, (CUstream stream, CUdevice* device), {
  HEDDLE_ARGUMENTS(stream, device);
  return on_stream(__func__, stream, [&](Context&) {
    require(device, cudaErrorInvalidValue, "no place for the device");
    check(cudaStreamGetDevice(stream_or_own(stream, per_thread), device));
  });
})
HEDDLE_DRIVER_SZ(cuStreamGetCtx, (CUstream stream, CUcontext* made), {
  HEDDLE_ARGUMENTS(stream, made);
  return on_stream(__func__, stream, [&](Context& context) {
    require(made, cudaErrorInvalidValue, "no place for the context");
    *made = handle_of(context);
  });
})
HEDDLE_DRIVER_SZ(cuStreamGetCtx_v2, (CUstream stream, CUcontext* made, CUgreenCtx* green), {
  HEDDLE_ARGUMENTS(stream, made, green);
  return on_stream(__func__, stream, [&](Context& context) {
    require(made, cudaErrorInvalidValue, "no place for the context");
    *made = handle_of(context);
    if (green) *green = nullptr;
  });
})
HEDDLE_DRIVER_API cuStreamGetGreenCtx(CUstream stream, CUgreenCtx* green) {
  HEDDLE_ARGUMENTS(stream, green);
  return on_stream(__func__, stream, [&](Context&) {
    require(green, cudaErrorInvalidValue, "no place for the context");
    *green = nullptr;
  });
}
HEDDLE_DRIVER_SZ(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus* status), {
  HEDDLE_ARGUMENTS(stream, status);
  return on_stream(__func__, stream, [&](Context& context) {
    require(status, cudaErrorInvalidValue, "no place for the answer");
    const bool captures = context.stream(stream, per_thread).capture != nullptr;
    *status = captures ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  });
})
HEDDLE_DRIVER_SZ(cuStreamAddCallback, (CUstream stream, CUstreamCallback callback, void* data, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, callback, data, flags);
  return add_callback(__func__, stream, callback, data, flags, per_thread);
})
HEDDLE_DRIVER_SZ(cuLaunchHostFunc, (CUstream stream, CUhostFn work, void* data), {
  HEDDLE_ARGUMENTS(stream, work, data);
  return on_stream(__func__, stream, [&](Context&) {
    require(work, cudaErrorInvalidValue, "no function to call");
    check(cudaLaunchHostFunc(stream_or_own(stream, per_thread), work, data));
  });
})

HEDDLE_DRIVER_SZ(cuStreamGetAttribute, (CUstream stream, CUstreamAttrID id, CUstreamAttrValue* value), {
  HEDDLE_ARGUMENTS(stream, id, value);
  return on_stream(__func__, stream, [&](Context&) {
    check(cudaStreamGetAttribute(stream_or_own(stream, per_thread), static_cast<int>(id),
                                 reinterpret_cast<abi::AttributeValue*>(value)));
  });
})
HEDDLE_DRIVER_SZ(cuStreamSetAttribute, (CUstream stream, CUstreamAttrID id, const CUstreamAttrValue* value), {
  HEDDLE_ARGUMENTS(stream, id, value);
  return on_stream(__func__, stream, [&](Context&) {
    check(cudaStreamSetAttribute(stream_or_own(stream, per_thread), static_cast<int>(id),
                                 reinterpret_cast<const abi::AttributeValue*>(value)));
  });
})
HEDDLE_DRIVER_SZ(cuStreamCopyAttributes, (CUstream to, CUstream from), {
  HEDDLE_ARGUMENTS(to, from);
  return on_stream(__func__, to, [&](Context& context) {
    require(&stream_context(from) == &context, cudaErrorInvalidResourceHandle, "the streams are of two contexts");
    check(cudaStreamCopyAttributes(stream_or_own(to, per_thread), stream_or_own(from, per_thread)));
  });
})
