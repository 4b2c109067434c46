#include "cuda_api/core/context.hpp"

#include <algorithm>
#include <cstdio>

#include "base/log.hpp"
#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {

Context::Context(Process& process, int number, int slot, heddle::Device device)
    : process_(process),
      number_(number),
      slot_(slot),
      device_(std::move(device)),
      info_(device_.info()),
      epoch_(process.next_id()),
      turn_(device_.event()) {
  legacy_ = &start_stream(cudaStreamDefault, 0);
}

void Context::check_sticky() const {
  const cudaError_t code = sticky();
  if (code != cudaSuccess)
    throw Failure(code, "the context was ended by an earlier error; cudaDeviceReset makes a new one");
}

void Context::note(cudaError_t code) {
  if (!is_sticky(code)) return;
  cudaError_t none = cudaSuccess;
  sticky_.compare_exchange_strong(none, code);
}

CUstream_st& Context::start_stream(unsigned flags, int priority) {
  CUstream_st& stream = process_.streams.take();
  stream.context = this;
  stream.queue.emplace(device_.queue({.priority = priority}));
  stream.flags = flags;
  stream.priority = priority;
  stream.id = process_.next_id();
  stream.submitted = stream.seen_by_legacy = stream.seen_of_legacy = 0;
  stream.capture.reset();
  stream.alive.store(true, std::memory_order_release);
  return stream;
}

CUstream_st& Context::make_stream(unsigned flags, int priority) {
  CUstream_st& stream = start_stream(flags, priority);
  const std::lock_guard lock(mutex_);
  stream.seen_of_legacy = 0;
  streams_.push_back(&stream);
  return stream;
}

void Context::destroy_stream(CUstream_st& stream) {
  if (&stream == legacy_)
    throw Failure(cudaErrorInvalidResourceHandle, "the legacy stream cannot be destroyed");
  std::optional<heddle::Queue> queue;
  {
    const std::lock_guard lock(mutex_);
    // The legacy stream goes on behind what was in it.
    if (!stream.non_blocking() && stream.submitted != stream.seen_by_legacy) {
      stream.queue->record(turn_);
      legacy_->queue->wait(turn_);
    }
    stream.alive.store(false, std::memory_order_release);
    std::erase(streams_, &stream);
    queue = std::move(stream.queue);
    stream.queue.reset();
  }
  // CUDA does not wait: what is in it is seen to its end by somebody else.
  process_.end_later(std::move(*queue));
  process_.streams.give(stream);
}

CUstream_st& Context::thread_stream() {
  ThreadState& thread = thread_state();
  if (static_cast<int>(thread.streams.size()) <= slot_) thread.streams.resize(static_cast<std::size_t>(slot_) + 1);
  ThreadState::OwnStream& own = thread.streams[static_cast<std::size_t>(slot_)];
  if (!own.stream || own.epoch != epoch()) own = {&make_stream(cudaStreamDefault, 0), epoch()};
  return *own.stream;
}

CUstream_st& Context::stream(cudaStream_t handle, bool per_thread) {
  if (handle == cudaStreamLegacy || (!handle && !per_thread)) return *legacy_;
  if (handle == cudaStreamPerThread || !handle) return thread_stream();
  if (!handle->alive.load(std::memory_order_acquire))
    throw Failure(cudaErrorInvalidResourceHandle, "the stream was destroyed");
  if (handle->context != this)
    throw Failure(cudaErrorInvalidResourceHandle, "the stream belongs to another device than the current one");
  return *handle;
}

// The legacy stream waits for all that is in the others, and they for all that is in it. (A queue's wait takes the event
// as it is then, so one event is enough.)
void Context::order(CUstream_st& stream) {
  ++stream.submitted;
  if (&stream == legacy_) {
    for (CUstream_st* other : streams_) {
      if (other->non_blocking() || other->submitted == other->seen_by_legacy) continue;
      other->queue->record(turn_);
      legacy_->queue->wait(turn_);
      other->seen_by_legacy = other->submitted;
    }
  } else if (!stream.non_blocking() && stream.seen_of_legacy != legacy_->submitted) {
    legacy_->queue->record(turn_);
    stream.queue->wait(turn_);
    stream.seen_of_legacy = legacy_->submitted;
  }
}

void Context::fail(const Error& error) {
  const cudaError_t code = code_of(error);
  note(code);
  throw Failure(code, error.what());
}

void Context::synchronize(CUstream_st& stream) {
  std::optional<heddle::Queue> queue;
  {
    const std::lock_guard lock(mutex_);
    if (&stream == legacy_) {
      order(stream);
      --stream.submitted;  // nothing was put in
    }
    queue = stream.queue;
  }
  try {
    queue->synchronize();
  } catch (const Error& error) {
    fail(error);
  }
  std::fflush(stdout);  // what kernels have printed
  const std::lock_guard lock(mutex_);
  drop_finished();
}

void Context::synchronize() {
  std::vector<heddle::Queue> queues;
  {
    const std::lock_guard lock(mutex_);
    queues.push_back(*legacy_->queue);
    for (CUstream_st* stream : streams_) queues.push_back(*stream->queue);
  }
  std::optional<Error> first;
  for (const heddle::Queue& queue : queues) {
    try {
      queue.synchronize();
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  std::fflush(stdout);
  if (first) fail(*first);
  const std::lock_guard lock(mutex_);
  drop_finished();
}

bool Context::idle(CUstream_st& stream) {
  std::optional<heddle::Event> end;
  {
    const std::lock_guard lock(mutex_);
    if (&stream == legacy_) {
      order(stream);
      --stream.submitted;
    }
    end = device_.event();
    stream.queue->record(*end);
  }
  if (!end->done()) return false;
  try {
    end->wait();
  } catch (const Error& error) {
    fail(error);
  }
  return true;
}

void Context::free_behind(CUstream_st& stream, heddle::Memory memory) {
  const std::lock_guard lock(mutex_);
  drop_finished();
  heddle::Event end = device_.event();
  order(stream);
  stream.queue->record(end);
  later_.push_back({std::move(end), std::move(memory)});
}

void Context::drop_finished() {
  std::erase_if(later_, [](const Later& later) { return later.end.done(); });
}

void Context::reset() {
  try {
    synchronize();
  } catch (const Failure&) {  // it ends with the context
  }
  const std::lock_guard lock(mutex_);
  for (CUstream_st* stream : streams_) {
    stream->alive.store(false, std::memory_order_release);
    stream->queue.reset();
    process_.streams.give(*stream);
  }
  streams_.clear();
  later_.clear();
  legacy_->submitted = 0;
  sticky_.store(cudaSuccess, std::memory_order_release);
  epoch_.store(process_.next_id(), std::memory_order_release);
}

}  // namespace heddle::cuda_api
