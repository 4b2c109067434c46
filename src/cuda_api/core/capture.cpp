#include "cuda_api/core/capture.hpp"
#include "base/thread_safety.hpp"

#include <algorithm>
#include <unordered_set>

namespace heddle::cuda_api {

std::atomic<unsigned> captures_under_way{0};

namespace {

struct Captures {
  heddle::base::Mutex mutex;
  std::vector<std::shared_ptr<Capture>> active;
  std::uint64_t next_id = 1;
};
Captures& captures() {
  static Captures* const made = new Captures;  // never taken down, see Process
  return *made;
}

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

void invalidate(Capture& capture, const char* why) {
  if (!capture.broken) capture.broken = why;
}

[[noreturn]] void invalidated(const Capture& capture) {
  throw Failure(cudaErrorStreamCaptureInvalidated,
                std::string("the stream's capture was invalidated by an earlier call: ") + capture.broken);
}

// Streams that are in step with the legacy stream.
bool is_blocking_in(const Capture& capture, const Context& context) {
  return std::any_of(capture.streams.begin(), capture.streams.end(), [&](const auto& entry) {
    return entry.first->context == &context && !entry.first->non_blocking();
  });
}

void refuse_implicit(Context& context, bool breaks) {
  bool any = false;
  for (const auto& capture : captures().active) {
    if (!is_blocking_in(*capture, context)) continue;
    any = true;
    if (breaks) invalidate(*capture, "the legacy stream was used");
  }
  if (any)
    throw Failure(cudaErrorStreamCaptureImplicit,
                  "the legacy stream is used while a stream captures that would have to wait for it");
}

// The streams are out of it from then on; events that stand for its points are not.
void leave(Capture& capture) {
  for (const auto& [stream, tips] : capture.streams) stream->capture.reset();
  capture.streams.clear();
  capture.events.clear();
  capture.ended = true;
  std::erase_if(captures().active, [&](const auto& other) { return other.get() == &capture; });
  captures_under_way.fetch_sub(1, std::memory_order_relaxed);
}

bool forbids(const Capture& capture) {
  const bool mine = capture.owner == std::this_thread::get_id();
  if (mine && capture.mode != cudaStreamCaptureModeRelaxed) return true;
  return !mine && capture.mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
}

// With the mutex held.
void refuse_unsafe(const char* what) {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return;
  bool any = false;
  for (const auto& capture : captures().active) {
    if (!forbids(*capture)) continue;
    any = true;
    invalidate(*capture, what);
  }
  if (any)
    throw Failure(
        cudaErrorStreamCaptureUnsupported,
        std::string(what) + " is not allowed while a stream captures, in the modes of the capture and the thread");
}

}  // namespace

heddle::base::Mutex& captures_mutex() { return captures().mutex; }

void CaptureTips::add(cudaGraphNode_t node, const cudaGraphEdgeData& edge) {
  constexpr std::size_t few = 16;
  if (nodes.size() < few) {
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return;
  } else {
    if (known_.empty()) known_.insert(nodes.begin(), nodes.end());
    if (!known_.insert(node).second) return;
  }
  nodes.push_back(node);
  edges.push_back(edge);
}

void CaptureTips::become(cudaGraphNode_t node) {
  nodes = {node};
  edges = {cudaGraphEdgeData{}};
  known_.clear();
}

CUgraphNode_st& Capture::add(CUstream_st& stream, Command command) {
  CaptureTips& tips = streams[&stream];
  CUgraphNode_st& node = add_node(*graph, tips.nodes, tips.edges.data(), std::move(command));
  tips.become(&node);
  return node;
}

Capture* capture_of(CUstream_st& stream) {
  if (stream.capture) {
    if (stream.capture->broken) invalidated(*stream.capture);
    return stream.capture.get();
  }
  if (stream.context->is_legacy(stream)) refuse_implicit(*stream.context, true);
  return nullptr;
}

void forbid_unsafe_slow(const char* what) {
  const base::Lock lock(captures_mutex());
  refuse_unsafe(what);
}

void forbid_stream_wait_slow(CUstream_st& stream) {
  const base::Lock lock(captures_mutex());
  if (Capture* const capture = capture_of(stream)) {
    invalidate(*capture, "the stream was waited for");
    throw Failure(cudaErrorStreamCaptureUnsupported, "a stream that captures cannot be waited for");
  }
}

void forbid_device_wait_slow(Context& context) {
  const base::Lock lock(captures_mutex());
  bool any = false;
  for (const auto& capture : captures().active) {
    const bool here = std::any_of(capture->streams.begin(), capture->streams.end(),
                                  [&](const auto& entry) { return entry.first->context == &context; });
    if (!here) continue;
    any = true;
    invalidate(*capture, "the device was waited for");
  }
  if (any)
    throw Failure(cudaErrorStreamCaptureUnsupported, "a device cannot be waited for while a stream of it captures");
}

void forbid_event_wait_slow(CUevent_st& event) {
  const base::Lock lock(captures_mutex());
  if (!event.capture) return;
  if (!event.capture->ended) invalidate(*event.capture, "an event of it was waited for");
  throw Failure(cudaErrorCapturedEvent, "the event was recorded in a stream that captured");
}

void forbid_synchronous_slow(CUstream_st& stream) {
  const base::Lock lock(captures_mutex());
  if (Capture* const capture = capture_of(stream)) {
    invalidate(*capture, "a copy that waits was made in the stream");
    throw Failure(cudaErrorStreamCaptureUnsupported, "a copy that waits cannot be captured");
  }
  refuse_unsafe("a copy that waits");
}

void forbid_in_capture(CUstream_st& stream, const char* what) {
  if (none_captures()) return;
  const base::Lock lock(captures_mutex());
  if (Capture* const capture = capture_of(stream)) {
    invalidate(*capture, what);
    throw Failure(cudaErrorStreamCaptureUnsupported, std::string(what) + " cannot be captured");
  }
}

bool capture_record_slow(CUstream_st& stream, CUevent_st& event, bool external) {
  const base::Lock lock(captures_mutex());
  Capture* const capture = capture_of(stream);
  if (capture && external) {
    capture->add(stream, RecordCommand{&event});
    return true;
  }
  if (event.capture) event.capture->events.erase(&event);
  event.capture = capture ? stream.capture : nullptr;
  event.captured.store(capture != nullptr, std::memory_order_relaxed);
  if (capture) capture->events[&event] = capture->streams[&stream];
  return capture != nullptr;
}

bool capture_wait_slow(CUstream_st& stream, CUevent_st& event, bool external) {
  const base::Lock lock(captures_mutex());
  Capture* const mine = capture_of(stream);
  if (mine && external) {
    mine->add(stream, WaitCommand{&event});
    return true;
  }
  Capture* const other = event.capture.get();
  if (!other) {
    if (!mine || !event.recorded) return mine != nullptr;
    invalidate(*mine, "the stream waited for an event of outside");
    throw Failure(cudaErrorStreamCaptureIsolation, "a stream that captures cannot wait for what is not captured");
  }
  if (other->ended) {
    if (mine) invalidate(*mine, "the stream waited for an event of another capture");
    throw Failure(cudaErrorCapturedEvent, "the event was recorded in a capture that is over");
  }
  if (other->broken) invalidated(*other);
  if (mine && mine != other) {
    invalidate(*mine, "the stream waited for an event of another capture");
    invalidate(*other, "a stream of another capture waited for an event of it");
    throw Failure(cudaErrorStreamCaptureMerge, "two captures would become one");
  }
  if (stream.context->is_legacy(stream)) {
    invalidate(*other, "the legacy stream waited for an event of it");
    throw Failure(cudaErrorStreamCaptureImplicit, "the legacy stream cannot take part in a capture");
  }
  stream.capture = event.capture;
  CaptureTips& tips = other->streams[&stream];
  const CaptureTips& point = other->events[&event];
  for (std::size_t i = 0; i < point.nodes.size(); ++i) tips.add(point.nodes[i], point.edges[i]);
  return true;
}

namespace {

// The nodes that come before the end of the stream where the capture began, and those at its end.
std::unordered_set<const CUgraphNode_st*> joined_nodes(const Capture& capture) {
  std::unordered_set<const CUgraphNode_st*> before;
  std::vector<const CUgraphNode_st*> rest;
  for (const CUgraphNode_st* node : capture.streams.at(capture.origin).nodes)
    if (before.insert(node).second) rest.push_back(node);
  while (!rest.empty()) {
    const CUgraphNode_st* const node = rest.back();
    rest.pop_back();
    for (const GraphEdge& edge : node->in)
      if (before.insert(edge.node).second) rest.push_back(edge.node);
  }
  return before;
}

bool all_in(const std::unordered_set<const CUgraphNode_st*>& before, const CaptureTips& tips) {
  return std::all_of(tips.nodes.begin(), tips.nodes.end(),
                     [&](const CUgraphNode_st* node) { return before.count(node) > 0; });
}

bool is_joined(const Capture& capture, const CaptureTips& tips) { return all_in(joined_nodes(capture), tips); }

// Each node and each edge is looked at once.
bool is_joined(const Capture& capture) {
  const std::unordered_set<const CUgraphNode_st*> before = joined_nodes(capture);
  return std::all_of(capture.streams.begin(), capture.streams.end(),
                     [&](const auto& entry) { return all_in(before, entry.second); });
}

}  // namespace

void forget_captures(CUstream_st& stream) {
  const base::Lock lock(captures_mutex());
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return;
  // One that was joined back is no longer needed.
  if (capture->origin == &stream || !is_joined(*capture, capture->streams.at(&stream)))
    invalidate(*capture, "a stream of it was destroyed");
  capture->streams.erase(&stream);
  stream.capture.reset();
  if (capture->origin != &stream) return;
  // Nobody can end it any more.
  if (capture->own_graph) destroy_graph(*capture->graph);
  leave(*capture);
}

void forget_captures(CUevent_st& event) {
  if (!event.captured.load(std::memory_order_relaxed)) return;
  const base::Lock lock(captures_mutex());
  if (event.capture) event.capture->events.erase(&event);
  event.capture.reset();
  event.captured.store(false, std::memory_order_relaxed);
}

void begin_capture(CUstream_st& stream, cudaStreamCaptureMode mode, CUgraph_st* graph,
                   std::span<const cudaGraphNode_t> dependencies, const cudaGraphEdgeData* data) {
  const base::Lock lock(captures_mutex());
  if (static_cast<unsigned>(mode) > cudaStreamCaptureModeRelaxed)
    throw Failure(cudaErrorInvalidValue, "no mode of a capture");
  if (stream.context->is_legacy(stream))
    throw Failure(cudaErrorStreamCaptureUnsupported, "the legacy stream cannot be captured");
  if (stream.capture) throw Failure(cudaErrorIllegalState, "the stream captures already");
  auto capture = std::make_shared<Capture>();
  CaptureTips& tips = capture->streams[&stream];
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    if (node_of(dependencies[i]).graph != graph)
      throw Failure(cudaErrorInvalidValue, "what a capture begins behind is not in the graph");
    tips.add(dependencies[i], data ? data[i] : cudaGraphEdgeData{});
  }
  capture->id = captures().next_id++;
  capture->mode = mode;
  capture->owner = std::this_thread::get_id();
  capture->origin = &stream;
  capture->own_graph = graph == nullptr;
  capture->graph = graph ? graph : &make_graph();
  stream.capture = capture;
  captures().active.push_back(std::move(capture));
  captures_under_way.fetch_add(1, std::memory_order_relaxed);
}

bool captures_to_given_graph(CUstream_st& stream) {
  const base::Lock lock(captures_mutex());
  return stream.capture && !stream.capture->own_graph;
}

CUgraph_st& end_capture(CUstream_st& stream) {
  const base::Lock lock(captures_mutex());
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) throw Failure(cudaErrorIllegalState, "the stream does not capture");
  if (capture->origin != &stream)
    throw Failure(cudaErrorStreamCaptureUnmatched, "the capture was begun in another stream");
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->owner != std::this_thread::get_id())
    throw Failure(cudaErrorStreamCaptureWrongThread, "the capture was begun by another thread");
  CUgraph_st& graph = *capture->graph;
  const bool joined = capture->broken || is_joined(*capture);
  leave(*capture);
  if (!capture->broken && joined) return graph;
  if (capture->own_graph) destroy_graph(graph);
  if (capture->broken) invalidated(*capture);
  throw Failure(cudaErrorStreamCaptureUnjoined, "a stream that had joined the capture was not joined back");
}

cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode) {
  if (static_cast<unsigned>(mode) > cudaStreamCaptureModeRelaxed)
    throw Failure(cudaErrorInvalidValue, "no mode of a capture");
  return std::exchange(thread_mode, mode);
}

CaptureInfo capture_info(CUstream_st& stream) {
  const base::Lock lock(captures_mutex());
  if (!stream.capture) {
    if (stream.context->is_legacy(stream)) refuse_implicit(*stream.context, false);
    return {};
  }
  const Capture& capture = *stream.capture;
  if (capture.broken) return {cudaStreamCaptureStatusInvalidated, 0, nullptr, nullptr};
  return {cudaStreamCaptureStatusActive, capture.id, capture.graph, &capture.streams.at(&stream)};
}

void update_capture(CUstream_st& stream, std::span<const cudaGraphNode_t> dependencies, const cudaGraphEdgeData* data,
                    bool replace) {
  const base::Lock lock(captures_mutex());
  Capture* const capture = capture_of(stream);
  if (!capture) throw Failure(cudaErrorIllegalState, "the stream does not capture");
  for (cudaGraphNode_t node : dependencies)
    if (node_of(node).graph != capture->graph)
      throw Failure(cudaErrorInvalidValue, "a dependency is not in the graph that is captured");
  CaptureTips& tips = capture->streams[&stream];
  if (replace) tips = {};
  for (std::size_t i = 0; i < dependencies.size(); ++i) tips.add(dependencies[i], data ? data[i] : cudaGraphEdgeData{});
}

}  // namespace heddle::cuda_api
