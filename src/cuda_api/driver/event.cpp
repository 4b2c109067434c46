// Events.
#include "cuda_api/driver/call.hpp"
#include "cuda_api/driver/runtime_calls.hpp"

using namespace heddle::cuda_api;

namespace {

// In the context of the event.
template <class F>
CUresult on_event(const char* name, CUevent event, F&& f) noexcept {
  return driver(name, [&] {
    Context& context = *event_of(event).context;
    context.check_sticky();
    const ContextScope scope(context);
    f();
  });
}

CUresult record(const char* name, CUevent event, CUstream stream, bool per_thread) {
  return on_stream(name, stream, [&](Context&) {
    event_of(event);
    check(cudaEventRecord(event, stream_or_own(stream, per_thread)));
  });
}

CUresult destroy(const char* name, CUevent event) {
  return driver(name, [&] {
    event_of(event);
    check(cudaEventDestroy(event));
  });
}

CUresult elapsed(const char* name, float* milliseconds, CUevent start, CUevent end) {
  return on_event(name, start, [&] {
    event_of(end);
    check(cudaEventElapsedTime(milliseconds, start, end));
  });
}

}  // namespace

HEDDLE_DRIVER_API cuEventCreate(CUevent* event, unsigned flags) {
  HEDDLE_ARGUMENTS(event, flags);
  return in_context(__func__, [&](Context&) { check(cudaEventCreateWithFlags(event, flags)); });
}
HEDDLE_DRIVER_API cuEventDestroy_v2(CUevent event) {
  HEDDLE_ARGUMENTS(event);
  return destroy(__func__, event);
}
HEDDLE_DRIVER_SZ(cuEventRecord, (CUevent event, CUstream stream), {
  HEDDLE_ARGUMENTS(event, stream);
  return record(__func__, event, stream, per_thread);
})
HEDDLE_DRIVER_SZ(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned), {
  HEDDLE_ARGUMENTS(event, stream);
  return record(__func__, event, stream, per_thread);
})
HEDDLE_DRIVER_API cuEventQuery(CUevent event) {
  HEDDLE_ARGUMENTS(event);
  return on_event(__func__, event, [&] { check(cudaEventQuery(event)); });
}
HEDDLE_DRIVER_API cuEventSynchronize(CUevent event) {
  HEDDLE_ARGUMENTS(event);
  return driver(__func__, [&] {
    const ContextScope scope(*event_of(event).context);
    check(cudaEventSynchronize(event));  // also in a context that an error has ended
  });
}
HEDDLE_DRIVER_API cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  HEDDLE_ARGUMENTS(milliseconds, start, end);
  return elapsed(__func__, milliseconds, start, end);
}
HEDDLE_DRIVER_API cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  HEDDLE_ARGUMENTS(milliseconds, start, end);
  return elapsed(__func__, milliseconds, start, end);
}
