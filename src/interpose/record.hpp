// A command on its way to NVIDIA's library.
#pragma once

#include <string>

#include "base/trace.hpp"
#include "interpose/forward.hpp"
#include "interpose/timeline.hpp"

namespace heddle::interpose {

// Puts `submit()`, a command, into the stream, and into the timeline if there is one. `describe(timeline)` gives the
// command's event; it is called only if there is one.
template <class Submit, class Describe>
CUresult record(CUstream stream, Describe&& describe, Submit&& submit) {
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

// For functions whose default stream is the thread's own.
inline CUstream own_if_default(CUstream stream) { return stream ? stream : CU_STREAM_PER_THREAD; }
inline CUstream legacy_if_default(CUstream stream) { return stream; }

}  // namespace heddle::interpose
