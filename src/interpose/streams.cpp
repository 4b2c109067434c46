#include "interpose/streams.hpp"

#include <algorithm>

namespace heddle::interpose {
namespace {

bool of_thread(CUstream handle) { return handle == CU_STREAM_PER_THREAD; }
// A name, and not the handle of a stream: it is another stream in another context.
bool is_name(CUstream handle) { return handle == nullptr || handle == CU_STREAM_LEGACY || of_thread(handle); }

// The stream that this thread used last, of the one table that a process has.
struct Last {
  std::uint64_t epoch = 0;
  CUstream handle = nullptr;
  CUcontext context = nullptr;
  StreamTable::Stream* stream = nullptr;
};
thread_local Last last;

CUcontext current_context() {
  CUcontext context = nullptr;
  return HEDDLE_FORWARD(cuCtxGetCurrent, &context) == CUDA_SUCCESS ? context : nullptr;
}

}  // namespace

StreamTable::Stream* StreamTable::find(CUstream handle) {
  const std::uint64_t epoch = epoch_.load(std::memory_order_acquire);
  CUcontext context = is_name(handle) ? current_context() : nullptr;
  if (last.epoch == epoch && last.handle == handle && last.context == context && last.stream) return last.stream;
  if (is_name(handle) && !context) return nullptr;
  const Key key{context, handle, of_thread(handle) ? &last : nullptr};
  const base::Lock lock(mutex_);
  const auto at = std::lower_bound(streams_.begin(), streams_.end(), key,
                                   [](const auto& entry, const Key& wanted) { return entry.first < wanted; });
  if (at != streams_.end() && at->first == key) {
    last = {epoch, handle, context, at->second};
    return at->second;
  }
  if (unused_.empty()) {
    all_.push_back(std::make_unique<Stream>());
    unused_.push_back(all_.back().get());
  }
  Stream* const made = unused_.back();
  unused_.pop_back();
  made->handle = handle;
  made->of_thread = of_thread(handle);
  made->context = context ? context : current_context();
  made->mark = nullptr;
  HEDDLE_FORWARD(cuCtxGetDevice, &made->device);
  streams_.insert(at, {key, made});
  last = {epoch, handle, context, made};
  return made;
}

void StreamTable::touch(Stream& stream) {
  if (stream.of_thread && !(capturing() && is_captured(stream.handle))) {
    const unsigned untimed = CU_EVENT_DISABLE_TIMING;
    if (!stream.mark && HEDDLE_FORWARD(cuEventCreate, &stream.mark, untimed) != CUDA_SUCCESS) stream.mark = nullptr;
    if (stream.mark) HEDDLE_FORWARD(cuEventRecord, stream.mark, stream.handle);
  }
  stream.dirty.store(true);
}

bool is_captured(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return HEDDLE_FORWARD(cuStreamIsCapturing, stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void StreamTable::end_capture(CUstream stream) {
  const base::Lock lock(mutex_);
  captured_.erase(stream);
  capturing_ = !captured_.empty();
}

StreamTable::Load StreamTable::load() {
  const base::Lock lock(mutex_);
  Load found;
  for (const auto& [key, stream] : streams_) {
    if (!stream->dirty.load(std::memory_order_acquire)) continue;
    if (capturing()) return {true, true};
    found.used = true;
    // Before the query: work that comes after it makes the stream dirty again.
    stream->dirty.store(false, std::memory_order_release);
    CUresult state = CUDA_SUCCESS;
    if (stream->of_thread) {
      if (stream->mark) state = HEDDLE_FORWARD(cuEventQuery, stream->mark);
    } else {
      if (is_name(stream->handle)) HEDDLE_FORWARD(cuCtxSetCurrent, stream->context);
      state = HEDDLE_FORWARD(cuStreamQuery, stream->handle);
    }
    if (state != CUDA_ERROR_NOT_READY) continue;
    stream->dirty.store(true, std::memory_order_release);
    found.busy = true;
  }
  return found;
}

bool StreamTable::any_dirty() {
  const base::Lock lock(mutex_);
  return std::ranges::any_of(streams_, [](const auto& entry) { return entry.second->dirty.load(); });
}

template <class Matches>
void StreamTable::forget_where(const Matches& matches) {
  std::vector<std::pair<Key, Stream*>> others;
  for (const auto& entry : streams_) {
    Stream* const stream = entry.second;
    if (!matches(*stream)) {
      others.push_back(entry);
      continue;
    }
    captured_.erase(stream->handle);
    stream->dirty.store(false, std::memory_order_release);
    unused_.push_back(stream);
  }
  streams_.swap(others);
  capturing_ = !captured_.empty();
  epoch_.fetch_add(1, std::memory_order_acq_rel);
}

void StreamTable::forget(CUstream handle) {
  const base::Lock lock(mutex_);
  forget_where([&](const Stream& stream) { return stream.handle == handle; });
}

void StreamTable::forget(CUcontext context) {
  const base::Lock lock(mutex_);
  forget_where([&](const Stream& stream) { return stream.context == context; });
}

void StreamTable::forget_device(CUdevice device) {
  const base::Lock lock(mutex_);
  forget_where([&](const Stream& stream) { return stream.device == device; });
}

}  // namespace heddle::interpose
