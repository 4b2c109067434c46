// Streams, events, and functions of the host in their order.
#include <algorithm>
#include <cstdio>
#include <functional>

#include "cuda_api/core/capture.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

// CUDA's lower numbers run first; H200s have six levels.
constexpr int least_priority = 0, greatest_priority = -5;

CUevent_st& event_of(cudaEvent_t event) {
  if (!event || !event->alive.load(std::memory_order_acquire))
    throw Failure(cudaErrorInvalidResourceHandle, "the event was not made, or was destroyed");
  return *event;
}

void make_stream(Context& context, cudaStream_t* stream, unsigned flags, int priority) {
  require(stream && (flags & ~unsigned{cudaStreamNonBlocking}) == 0, cudaErrorInvalidValue,
          "no place for the stream, or flags that are none");
  *stream = &context.make_stream(flags, -std::clamp(priority, greatest_priority, least_priority));
}

void make_event(Context& context, cudaEvent_t* event, unsigned flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  require(event && (flags & ~known) == 0, cudaErrorInvalidValue, "no place for the event, or flags that are none");
  if (flags & cudaEventInterprocess) not_supported("an event that several processes share (cudaEventInterprocess)");
  CUevent_st& made = context.process().events.take();
  made.context = &context;
  made.event.emplace(context.device().event());
  made.flags = flags;
  made.recorded = false;
  made.alive.store(true, std::memory_order_release);
  *event = &made;
}

cudaError_t record(const char* function, cudaEvent_t event, cudaStream_t stream, bool per_thread, unsigned flags = 0) {
  return with_context(function, [&](Context& context) {
    const bool external = flags == cudaEventRecordExternal;
    require(flags == cudaEventRecordDefault || external, cudaErrorInvalidValue, "flags that are none");
    CUevent_st& recorded = event_of(event);
    CUstream_st& into = context.stream(stream, per_thread);
    require(recorded.context == &context, cudaErrorInvalidResourceHandle,
            "the event belongs to another device than the stream");
    if (capture_record(into, recorded, external)) return;
    require(!external, cudaErrorInvalidValue, "cudaEventRecordExternal is for streams that capture");
    context.submit(into, [&](heddle::Queue& queue) { RecordCommand{&recorded}.put(queue); });
  });
}

cudaError_t wait(const char* function, cudaStream_t stream, cudaEvent_t event, bool per_thread, unsigned flags) {
  return with_context(function, [&](Context& context) {
    const bool external = flags == cudaEventWaitExternal;
    require(flags == cudaEventWaitDefault || external, cudaErrorInvalidValue, "flags that are none");
    CUevent_st& awaited = event_of(event);
    CUstream_st& into = context.stream(stream, per_thread);
    if (capture_wait(into, awaited, external)) return;
    require(!external, cudaErrorInvalidValue, "cudaEventWaitExternal is for streams that capture");
    if (!awaited.recorded) return;
    context.submit(into, [&](heddle::Queue& queue) { WaitCommand{&awaited}.put(queue); });
  });
}

cudaError_t synchronize(const char* function, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUstream_st& awaited = context.stream(stream, per_thread);
    forbid_stream_wait(awaited);
    context.synchronize(awaited);
  });
}

cudaError_t query(const char* function, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUstream_st& asked = context.stream(stream, per_thread);
    forbid_stream_wait(asked);
    if (!context.idle(asked)) throw Failure(cudaErrorNotReady, "work is under way");
  });
}

// Functions of the host may not be called once the context has ended; those of cudaStreamAddCallback are, with the
// error.
cudaError_t call(const char* function, cudaStream_t stream, std::function<void()> work, bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUstream_st& into = context.stream(stream, per_thread);
    forbid_in_capture(into, "cudaStreamAddCallback");
    context.submit(into, [&](heddle::Queue& queue) { queue.call(std::move(work)); });
  });
}

cudaError_t call_host(const char* function, cudaStream_t stream, cudaHostFn_t work, void* data, bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(work, cudaErrorInvalidValue, "no function to call");
    CUstream_st& into = context.stream(stream, per_thread);
    const HostCommand command{{work, data}};
    if (capture(into, [&] { return command; })) return;
    context.submit(into, [&](heddle::Queue& queue) { command.put(queue); });
  });
}

// Waits for what an event stands for; its failure ends the context.
void wait_for(CUevent_st& event) {
  forbid_event_wait(event);
  try {
    event.event->wait();
  } catch (const heddle::Error& error) {
    event.context->note(code_of(error));
    throw;
  }
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return with_context(__func__, [&](Context& context) { make_stream(context, stream, cudaStreamDefault, 0); });
}
HEDDLE_CUDA_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return with_context(__func__, [&](Context& context) { make_stream(context, stream, flags, 0); });
}
HEDDLE_CUDA_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return with_context(__func__, [&](Context& context) { make_stream(context, stream, flags, priority); });
}
HEDDLE_CUDA_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return with_context(__func__, [&](Context& context) {
    require(stream != nullptr, cudaErrorInvalidResourceHandle, "the null stream cannot be destroyed");
    CUstream_st& ended = context.stream(stream);
    if (!none_captures()) forget_captures(ended);
    context.destroy_stream(ended);
  });
}
HEDDLE_CUDA_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return synchronize(__func__, stream, false); }
HEDDLE_CUDA_API cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return synchronize(__func__, stream, true);
}
HEDDLE_CUDA_API cudaError_t cudaStreamQuery(cudaStream_t stream) { return query(__func__, stream, false); }
HEDDLE_CUDA_API cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) { return query(__func__, stream, true); }
HEDDLE_CUDA_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return wait(__func__, stream, event, false, flags);
}
HEDDLE_CUDA_API cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return wait(__func__, stream, event, true, flags);
}
HEDDLE_CUDA_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                                  unsigned) {
  return call(__func__, stream, [=] { callback(stream, cudaSuccess, data); }, false);
}
HEDDLE_CUDA_API cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                                       unsigned) {
  return call(__func__, stream, [=] { callback(stream, cudaSuccess, data); }, true);
}
HEDDLE_CUDA_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t work, void* data) {
  return call_host(__func__, stream, work, data, false);
}
HEDDLE_CUDA_API cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t work, void* data) {
  return call_host(__func__, stream, work, data, true);
}
HEDDLE_CUDA_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return with_context(__func__, [&](Context& context) { *flags = context.stream(stream).flags; });
}
HEDDLE_CUDA_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return with_context(__func__, [&](Context& context) { *priority = -context.stream(stream).priority; });
}
HEDDLE_CUDA_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return with_context(__func__, [&](Context& context) { *id = context.stream(stream).id; });
}
HEDDLE_CUDA_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return with_context(__func__, [&](Context& context) { *device = context.stream(stream).context->number(); });
}
HEDDLE_CUDA_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return with_context(__func__, [&](Context&) {
    if (least) *least = least_priority;
    if (greatest) *greatest = greatest_priority;
  });
}

HEDDLE_CUDA_API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return with_context(__func__, [&](Context& context) { make_event(context, event, cudaEventDefault); });
}
HEDDLE_CUDA_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return with_context(__func__, [&](Context& context) { make_event(context, event, flags); });
}
HEDDLE_CUDA_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return guarded(__func__, [&] {
    CUevent_st& ended = event_of(event);
    forget_captures(ended);
    ended.alive.store(false, std::memory_order_release);
    ended.event.reset();
    Process::get().events.give(ended);
  });
}
HEDDLE_CUDA_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record(__func__, event, stream, false);
}
HEDDLE_CUDA_API cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return record(__func__, event, stream, true);
}
HEDDLE_CUDA_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return record(__func__, event, stream, false, flags);
}
HEDDLE_CUDA_API cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return record(__func__, event, stream, true, flags);
}
HEDDLE_CUDA_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_context(__func__, [&](Context&) {
    CUevent_st& asked = event_of(event);
    forbid_event_wait(asked);
    if (!asked.event->done()) throw Failure(cudaErrorNotReady, "the event is not reached");
    wait_for(asked);
  });
}
HEDDLE_CUDA_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_context(__func__, [&](Context&) {
    wait_for(event_of(event));
    std::fflush(stdout);  // what kernels have printed
  });
}
HEDDLE_CUDA_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return with_context(__func__, [&](Context&) {
    CUevent_st &first = event_of(start), &last = event_of(end);
    forbid_event_wait(first);
    forbid_event_wait(last);
    require(milliseconds, cudaErrorInvalidValue, "no place for the time");
    require(first.recorded && last.recorded && !(first.flags & cudaEventDisableTiming) &&
                !(last.flags & cudaEventDisableTiming),
            cudaErrorInvalidResourceHandle, "an event was not recorded, or was made without timing");
    if (!first.event->done() || !last.event->done()) throw Failure(cudaErrorNotReady, "an event is not reached");
    const auto ns = static_cast<std::int64_t>(last.event->completed_ns() - first.event->completed_ns());
    *milliseconds = static_cast<float>(static_cast<double>(ns) * 1e-6);
  });
}
HEDDLE_CUDA_API cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}
