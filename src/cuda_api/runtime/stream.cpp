// Streams, events, and functions of the host in their order.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "cuda_api/core/capture.hpp"
#include "cuda_api/core/host_function.hpp"
#include "cuda_api/core/wait_line.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

// CUDA's lower numbers run first; H200s have six levels.
constexpr int least_priority = 0, greatest_priority = -5;

CUevent_st& event_of(cudaEvent_t event) {
  if (!Process::get().handles.events.is_alive(event))
    throw Failure(cudaErrorInvalidResourceHandle, "the event was not made, or was destroyed");
  return *event;
}

void make_stream(Context& context, cudaStream_t* stream, unsigned flags, int priority) {
  require(stream && (flags & ~unsigned{cudaStreamNonBlocking}) == 0, cudaErrorInvalidValue,
          "no place for the stream, or unknown flags");
  *stream = &context.make_stream(flags, -std::clamp(priority, greatest_priority, least_priority));
}

void make_event(Context& context, cudaEvent_t* event, unsigned flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  require(event && (flags & ~known) == 0, cudaErrorInvalidValue, "no place for the event, or unknown flags");
  if (flags & cudaEventInterprocess) not_supported("an event that several processes share (cudaEventInterprocess)");
  CUevent_st& made = Process::get().handles.events.take();
  made.context = &context;
  made.event.emplace(flags & cudaEventDisableTiming ? context.device().untimed_event() : context.device().event());
  made.flags = flags;
  made.recorded = false;
  made.alive.store(true, std::memory_order_release);
  *event = &made;
}

cudaError_t record(const char* function, cudaEvent_t event, cudaStream_t stream, bool per_thread, unsigned flags = 0) {
  return with_context(function, [&](Context& context) {
    const bool external = flags == cudaEventRecordExternal;
    require(flags == cudaEventRecordDefault || external, cudaErrorInvalidValue, "unknown flags");
    CUevent_st& recorded = event_of(event);
    CUstream_st& into = context.any_stream(stream, per_thread);
    require(recorded.context == into.context, cudaErrorInvalidResourceHandle,
            "the event belongs to another device than the stream");
    if (capture_record(into, recorded, external)) return;
    require(!external, cudaErrorInvalidValue, "cudaEventRecordExternal is for streams that capture");
    into.context->record(into, recorded);
  });
}

cudaError_t wait(const char* function, cudaStream_t stream, cudaEvent_t event, bool per_thread, unsigned flags) {
  return with_context(function, [&](Context& context) {
    const bool external = flags == cudaEventWaitExternal;
    require(flags == cudaEventWaitDefault || external, cudaErrorInvalidValue, "unknown flags");
    CUevent_st& awaited = event_of(event);
    CUstream_st& into = context.any_stream(stream, per_thread);
    if (capture_wait(into, awaited, external)) return;
    require(!external, cudaErrorInvalidValue, "cudaEventWaitExternal is for streams that capture");
    if (!awaited.recorded) return;
    into.context->submit(into, [&](heddle::Queue& queue) { WaitCommand{&awaited}.put(queue); });
  });
}

cudaError_t synchronize(const char* function, cudaStream_t stream, bool per_thread) {
  return waiting_in_context(function, [&](Context& context) {
    CUstream_st& awaited = context.any_stream(stream, per_thread);
    forbid_stream_wait(awaited);
    awaited.context->synchronize(awaited);
  });
}

cudaError_t query(const char* function, cudaStream_t stream, bool per_thread) {
  return with_context(function, [&](Context& context) {
    CUstream_st& asked = context.any_stream(stream, per_thread);
    forbid_stream_wait(asked);
    if (!asked.context->idle(asked)) throw Failure(cudaErrorNotReady, "work is under way");
  });
}

// What a stream is.
template <class T, class Answer>
cudaError_t ask(const char* function, cudaStream_t stream, bool per_thread, T* value, Answer&& answer) {
  return with_context(function, [&](Context& context) {
    require(value, cudaErrorInvalidValue, "no place for the answer");
    *value = answer(context.any_stream(stream, per_thread));
  });
}

cudaError_t call(const char* function, cudaStream_t stream, cudaHostFn_t work, void* data, bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(work, cudaErrorInvalidValue, "no function to call");
    CUstream_st& into = context.any_stream(stream, per_thread);
    const HostCommand command{{work, data}};
    if (capture(into, [&] { return command; })) return;
    into.context->submit(into, [&](heddle::Queue& queue) { command.put(queue); });
  });
}

cudaError_t add_callback(const char* function, cudaStream_t stream, cudaStreamCallback_t work, void* data,
                         unsigned flags, bool per_thread) {
  return with_context(function, [&](Context& context) {
    require(work && flags == 0, cudaErrorInvalidValue, "no function to call, or unknown flags");
    CUstream_st& into = context.any_stream(stream, per_thread);
    forbid_in_capture(into, "cudaStreamAddCallback");
    into.context->add_callback(into, {stream, work, data});
  });
}

CallbackMark callbacks_before(CUevent_st& event) {
  const heddle::base::Lock lock(event.callbacks_mutex);
  return event.callbacks;
}

// Waits for what an event stands for; its failure ends the context.
void wait_for(CUevent_st& event) {
  forbid_event_wait(event);
  try {
    const WaitLine line;
    event.event->wait();
  } catch (const heddle::Error& error) {
    event.context->note(code_of(error), error.what());
    callbacks_before(event).wait();
    throw;
  }
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  HEDDLE_ARGUMENTS(stream);
  return with_context(__func__, [&](Context& context) { make_stream(context, stream, cudaStreamDefault, 0); });
}
HEDDLE_CUDA_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  HEDDLE_ARGUMENTS(stream, flags);
  return with_context(__func__, [&](Context& context) { make_stream(context, stream, flags, 0); });
}
HEDDLE_CUDA_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  HEDDLE_ARGUMENTS(stream, flags, priority);
  return with_context(__func__, [&](Context& context) { make_stream(context, stream, flags, priority); });
}
HEDDLE_CUDA_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  HEDDLE_ARGUMENTS(stream);
  return with_context(__func__, [&](Context& context) {
    require(stream != nullptr, cudaErrorInvalidResourceHandle, "the null stream cannot be destroyed");
    require(stream != cudaStreamLegacy && stream != cudaStreamPerThread, cudaErrorInvalidResourceHandle,
            "the default streams cannot be destroyed");
    CUstream_st& ended = context.any_stream(stream);
    if (!none_captures()) forget_captures(ended);
    ended.context->destroy_stream(ended);
  });
}
HEDDLE_CUDA_SZ(cudaStreamSynchronize, (cudaStream_t stream), {
  HEDDLE_ARGUMENTS(stream);
  return synchronize(__func__, stream, per_thread);
})
HEDDLE_CUDA_SZ(cudaStreamQuery, (cudaStream_t stream), {
  HEDDLE_ARGUMENTS(stream);
  return query(__func__, stream, per_thread);
})
HEDDLE_CUDA_SZ(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, event, flags);
  return wait(__func__, stream, event, per_thread, flags);
})
HEDDLE_CUDA_SZ(cudaStreamAddCallback, (cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags),
               {
                 HEDDLE_ARGUMENTS(stream, callback, data, flags);
                 return add_callback(__func__, stream, callback, data, flags, per_thread);
               })
HEDDLE_CUDA_SZ(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t work, void* data), {
  HEDDLE_ARGUMENTS(stream, work, data);
  return call(__func__, stream, work, data, per_thread);
})
#define HEDDLE_STREAM_QUESTION(NAME, TYPE, ANSWER)          \
  HEDDLE_CUDA_SZ(NAME, (cudaStream_t stream, TYPE * value), \
                 { return ask(__func__, stream, per_thread, value, [](CUstream_st& s) { return ANSWER; }); })
HEDDLE_STREAM_QUESTION(cudaStreamGetFlags, unsigned, s.flags)
HEDDLE_STREAM_QUESTION(cudaStreamGetPriority, int, -s.priority)
HEDDLE_STREAM_QUESTION(cudaStreamGetId, unsigned long long, s.id)
HEDDLE_STREAM_QUESTION(cudaStreamGetDevice, int, s.context->number())
#undef HEDDLE_STREAM_QUESTION
HEDDLE_CUDA_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  HEDDLE_ARGUMENTS(least, greatest);
  return with_context(__func__, [&](Context&) {
    if (least) *least = least_priority;
    if (greatest) *greatest = greatest_priority;
  });
}

HEDDLE_CUDA_API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  HEDDLE_ARGUMENTS(event);
  return with_context(__func__, [&](Context& context) { make_event(context, event, cudaEventDefault); });
}
HEDDLE_CUDA_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  HEDDLE_ARGUMENTS(event, flags);
  return with_context(__func__, [&](Context& context) { make_event(context, event, flags); });
}
HEDDLE_CUDA_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  HEDDLE_ARGUMENTS(event);
  return guarded(__func__, [&] {
    CUevent_st& ended = event_of(event);
    require(ended.alive.exchange(false), cudaErrorInvalidResourceHandle, "the event was destroyed before");
    forget_captures(ended);
    ended.event.reset();
    Process::get().handles.events.give(ended);
  });
}
HEDDLE_CUDA_SZ(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), {
  HEDDLE_ARGUMENTS(event, stream);
  return record(__func__, event, stream, per_thread);
})
HEDDLE_CUDA_SZ(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), {
  HEDDLE_ARGUMENTS(event, stream, flags);
  return record(__func__, event, stream, per_thread, flags);
})
HEDDLE_CUDA_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  HEDDLE_ARGUMENTS(event);
  return with_context(__func__, [&](Context&) {
    CUevent_st& asked = event_of(event);
    forbid_event_wait(asked);
    if (!asked.event->done()) throw Failure(cudaErrorNotReady, "the event is not reached");
    wait_for(asked);
  });
}
HEDDLE_CUDA_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  HEDDLE_ARGUMENTS(event);
  return waiting_in_context(__func__, [&](Context&) {
    wait_for(event_of(event));
    std::fflush(stdout);  // what kernels have printed
  });
}
HEDDLE_CUDA_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  HEDDLE_ARGUMENTS(milliseconds, start, end);
  return with_context(__func__, [&](Context&) {
    CUevent_st &first = event_of(start), &last = event_of(end);
    forbid_event_wait(first);
    forbid_event_wait(last);
    require(milliseconds, cudaErrorInvalidValue, "no place for the time");
    require(first.context == last.context, cudaErrorInvalidResourceHandle, "the events belong to different devices");
    require(first.recorded && last.recorded && !(first.flags & cudaEventDisableTiming) &&
                !(last.flags & cudaEventDisableTiming),
            cudaErrorInvalidResourceHandle, "an event was not recorded, or was made without timing");
    if (!first.event->done() || !last.event->done()) throw Failure(cudaErrorNotReady, "an event is not reached");
    wait_for(first);
    wait_for(last);
    const auto ns = static_cast<std::int64_t>(last.event->completed_ns() - first.event->completed_ns());
    *milliseconds = static_cast<float>(static_cast<double>(ns) * 1e-6);
  });
}
HEDDLE_CUDA_API cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  HEDDLE_ARGUMENTS(milliseconds, start, end);
  return cudaEventElapsedTime(milliseconds, start, end);
}
