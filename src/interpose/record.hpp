// A command on its way to NVIDIA's library.
#pragma once

#include <string>

#include "base/trace.hpp"
#include "interpose/forward.hpp"
#include "interpose/gate.hpp"
#include "interpose/timeline.hpp"

namespace heddle::interpose {

// Puts `submit()`, a command, into the stream, and into the timeline if there is one. `describe(timeline)` gives the
// command's event; it is called only if there is one.
template <class Submit, class Describe>
CUresult trace(CUstream stream, Describe&& describe, Submit&& submit) {
  Timeline* const timeline = Timeline::current();
  if (!timeline) [[likely]]
    return submit();
  struct Described {
    base::TraceEvent event;
    std::string name;
  } described;
  describe(*timeline, described.event, described.name);
  const Timeline::Begun begun = timeline->begin(stream);
  const CUresult result = submit();
  timeline->end(begun, result == CUDA_SUCCESS, described.event, std::move(described.name));
  return result;
}

// The same for a command that a tenant's gate only has to know of.
template <class Submit, class Describe>
CUresult record(CUstream stream, Describe&& describe, Submit&& submit) {
  Gate* const gate = Gate::current();
  if (!gate) [[likely]]
    return trace(stream, describe, submit);
  gate->touch(stream);
  const CUresult result = trace(stream, describe, submit);
  if (result == CUDA_SUCCESS) gate->touch(stream);
  return result;
}

// The same for one that the gate may hold back.
template <class Submit, class Describe>
CUresult admit(CUstream stream, const WorkKey& key, Describe&& describe, Submit&& submit) {
  Gate* const gate = Gate::current();
  if (!gate) [[likely]]
    return trace(stream, describe, submit);
  const Gate::Pass pass = gate->enter(stream, key);
  const CUresult result = trace(stream, describe, submit);
  gate->leave(pass, result == CUDA_SUCCESS);
  return result;
}

// For functions whose default stream is the thread's own.
inline CUstream own_if_default(CUstream stream) { return stream ? stream : CU_STREAM_PER_THREAD; }
inline CUstream legacy_if_default(CUstream stream) { return stream; }

}  // namespace heddle::interpose
