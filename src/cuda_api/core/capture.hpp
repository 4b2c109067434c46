// Stream capture: commands of a stream become nodes of a graph. While nothing captures, all of this costs one read of a
// counter.
#pragma once

#include <atomic>
#include <span>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "base/thread_safety.hpp"
#include "cuda_api/core/graph.hpp"

namespace heddle::cuda_api {

// What the next command of a stream depends on.
struct CaptureTips {
  std::vector<cudaGraphNode_t> nodes;  // each once
  std::vector<cudaGraphEdgeData> edges;
  // Nothing if the node is already there.
  void add(cudaGraphNode_t node, const cudaGraphEdgeData& edge);
  // Depends on nothing else any more.
  void become(cudaGraphNode_t node);

 private:
  std::unordered_set<cudaGraphNode_t> known_;  // all of them, where they are many
};

// All of it is guarded by captures_mutex().
class Capture {
 public:
  std::uint64_t id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id owner;
  CUstream_st* origin = nullptr;
  CUgraph_st* graph = nullptr;
  bool own_graph = true;  // made for it, not the program's
  bool ended = false;
  const char* broken = nullptr;  // what has invalidated it
  std::unordered_map<CUstream_st*, CaptureTips> streams;
  std::unordered_map<const CUevent_st*, CaptureTips> events;

  CUgraphNode_st& add(CUstream_st& stream, Command command);
};

extern std::atomic<unsigned> captures_under_way;
heddle::base::Mutex& captures_mutex();

inline bool none_captures() { return captures_under_way.load(std::memory_order_relaxed) == 0; }

// With the mutex held: the stream's capture, null if it has none. Throws cudaErrorStreamCaptureInvalidated, and for the
// legacy stream cudaErrorStreamCaptureImplicit where another stream's capture would have to wait for it.
Capture* capture_of(CUstream_st& stream);

// If the stream captures, adds the command that make() returns, and returns true.
template <class Make>
bool capture(CUstream_st& stream, Make&& make) {
  if (none_captures()) [[likely]]
    return false;
  const base::Lock lock(captures_mutex());
  Capture* const into = capture_of(stream);
  if (into) into->add(stream, make());
  return into != nullptr;
}

// Calls that cannot be captured and may be unsafe during a capture, such as cudaMalloc: throws
// cudaErrorStreamCaptureUnsupported where the modes of captures and thread forbid them, and invalidates those captures.
void forbid_unsafe_slow(const char* what);
inline void forbid_unsafe(const char* what) {
  if (!none_captures()) forbid_unsafe_slow(what);
}
// Waiting for a stream, a device, an event that captures: the same in every mode.
void forbid_stream_wait_slow(CUstream_st& stream);
inline void forbid_stream_wait(CUstream_st& stream) {
  if (!none_captures()) forbid_stream_wait_slow(stream);
}
void forbid_device_wait_slow(Context& context);
inline void forbid_device_wait(Context& context) {
  if (!none_captures()) forbid_device_wait_slow(context);
}
void forbid_event_wait_slow(CUevent_st& event);
inline void forbid_event_wait(CUevent_st& event) {
  if (event.captured.load(std::memory_order_relaxed)) forbid_event_wait_slow(event);
}
// A call that copies or fills at once, in this stream.
void forbid_synchronous_slow(CUstream_st& stream);
inline void forbid_synchronous(CUstream_st& stream) {
  if (!none_captures()) forbid_synchronous_slow(stream);
}
// A call that no mode allows in a stream that captures.
void forbid_in_capture(CUstream_st& stream, const char* what);

// Recording and waiting make streams join. True: captured, and nothing more to do. `external`: becomes a node of its
// own.
bool capture_record_slow(CUstream_st& stream, CUevent_st& event, bool external);
inline bool capture_record(CUstream_st& stream, CUevent_st& event, bool external) {
  if (none_captures() && !event.captured.load(std::memory_order_relaxed)) [[likely]]
    return false;
  return capture_record_slow(stream, event, external);
}
bool capture_wait_slow(CUstream_st& stream, CUevent_st& event, bool external);
inline bool capture_wait(CUstream_st& stream, CUevent_st& event, bool external) {
  if (none_captures() && !event.captured.load(std::memory_order_relaxed)) [[likely]]
    return false;
  return capture_wait_slow(stream, event, external);
}
// Before they end.
void forget_captures(CUstream_st& stream);
void forget_captures(CUevent_st& event);

// `graph` null: one of its own.
void begin_capture(CUstream_st& stream, cudaStreamCaptureMode mode, CUgraph_st* graph,
                   std::span<const cudaGraphNode_t> dependencies, const cudaGraphEdgeData* data);
// Throws when there is no graph; the capture is over then too, unless the call itself is at the wrong place.
CUgraph_st& end_capture(CUstream_st& stream);
// Whether the stream records into a graph that the program has.
bool captures_to_given_graph(CUstream_st& stream);
cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode);

struct CaptureInfo {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  std::uint64_t id = 0;
  CUgraph_st* graph = nullptr;
  const CaptureTips* tips = nullptr;  // until the next call about the stream
};
CaptureInfo capture_info(CUstream_st& stream);
void update_capture(CUstream_st& stream, std::span<const cudaGraphNode_t> dependencies, const cudaGraphEdgeData* data,
                    bool replace);

}  // namespace heddle::cuda_api
