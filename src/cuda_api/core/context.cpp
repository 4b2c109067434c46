#include "cuda_api/core/context.hpp"

#include <algorithm>
#include <cstdio>

#include "cuda_api/core/host_function.hpp"
#include "cuda_api/core/settings.hpp"
#include "cuda_api/core/thread_state.hpp"
#include "cuda_api/core/wait_line.hpp"

namespace heddle::cuda_api {

Context::Context(Handles& handles, int number, int slot, heddle::Device device)
    : handles_(handles),
      number_(number),
      slot_(slot),
      device_(std::move(device)),
      info_(device_.info()),
      processors_(sees_whole_device() ? info_.processors : device_.own_processors()),
      epoch_(handles.next_id()) {
  legacy_ = &start_stream(cudaStreamDefault, 0);
}

void Context::check_sticky() const {
  const cudaError_t code = sticky();
  if (code == cudaSuccess) return;
  const base::Lock lock(why_mutex_);
  throw Failure(code, "the context was ended by an earlier error" + (why_.empty() ? "" : ", " + why_) +
                          "; cudaDeviceReset makes a new one");
}

void Context::note(cudaError_t code, const char* what) {
  if (!is_sticky(code)) return;
  const base::Lock lock(why_mutex_);
  if (sticky() != cudaSuccess) return;
  try {
    why_ = what;
  } catch (const std::exception&) {  // without it
    why_.clear();
  }
  sticky_.store(code, std::memory_order_release);
}

CUstream_st& Context::start_stream(unsigned flags, int priority) {
  heddle::Queue queue = device_.queue({.priority = priority, .bounded = false, .keeps_failure = true});
  heddle::Event turn = device_.untimed_event();
  CUstream_st& stream = handles_.streams.take();
  // Who still has the handle of an earlier stream in this slot must not see a half of it.
  const base::Lock lock(mutex_);
  stream.context = this;
  stream.queue.emplace(std::move(queue));
  stream.turn.emplace(std::move(turn));
  stream.flags = flags;
  stream.priority = priority;
  stream.synchronization_policy = 1;
  {
    const base::Lock hints(stream.hints_mutex);
    stream.hints.clear();
  }
  stream.id = handles_.next_id();
  stream.submitted = stream.seen_by_legacy = stream.seen_of_legacy = stream.asked = stream.checked = 0;
  stream.end.reset();
  stream.capture.reset();
  stream.callbacks.reset();
  if (legacy_) streams_.push_back(&stream);
  stream.alive.store(true, std::memory_order_release);
  return stream;
}

CUstream_st& Context::make_stream(unsigned flags, int priority) { return start_stream(flags, priority); }

void Context::check_usable(const CUstream_st& stream) const {
  if (stream.context != this || !stream.queue)
    throw Failure(cudaErrorContextIsDestroyed, "the stream ended with the device's context (cudaDeviceReset)");
}

// With the mutex.
void Context::end_stream(CUstream_st& stream) {
  // The legacy stream goes on behind what was in it.
  if (!stream.non_blocking() && stream.submitted != stream.seen_by_legacy) {
    stream.queue->record(*stream.turn);
    legacy_->queue->wait(*stream.turn);
  }
  stream.alive.store(false, std::memory_order_release);
  std::erase(streams_, &stream);
  if (stream.submitted != stream.checked) {
    heddle::Event end = device_.untimed_event();
    stream.queue->record(end);
    ended_.push_back({std::move(end), std::move(*stream.queue), callbacks_of(stream)});
  }
  stream.callbacks.reset();
  stream.queue.reset();
  stream.end.reset();
  handles_.streams.give(stream);
}

void Context::destroy_stream(CUstream_st& stream) {
  if (&stream == legacy_) throw Failure(cudaErrorInvalidResourceHandle, "the legacy stream cannot be destroyed");
  Finished finished;
  std::optional<heddle::Event> oldest;  // where there are many
  {
    const base::Lock lock(mutex_);
    check_usable(stream);
    end_stream(stream);
    finished = take_finished();
    if (ended_.size() > most_ended) oldest = ended_.front().end;
  }
  let_go(finished);
  if (!oldest) return;
  try {
    oldest->wait();
  } catch (const Error& error) {
    note(code_of(error), error.what());
  }
}

void Context::take_later(std::size_t i, std::vector<Later>& to) {
  if (later_[i].pool) later_[i].pool->freed -= later_[i].size;
  to.push_back(std::move(later_[i]));
  later_.erase(later_.begin() + static_cast<std::ptrdiff_t>(i));
}

Context::Finished Context::take_finished() {
  Finished finished;
  for (std::size_t i = later_.size(); i-- > 0;) {
    const Later& later = later_[i];
    if (later.end.done() && (!later.pool || later.pool->freed > later.pool->keep)) take_later(i, finished.memory);
  }
  for (std::size_t i = ended_.size(); i-- > 0;) {
    if (!ended_[i].end.done() || !ended_[i].callbacks.done()) continue;
    finished.queues.push_back(std::move(ended_[i]));
    ended_.erase(ended_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return finished;
}

// A failure that nobody waited for still ends the context.
void Context::let_go(const Finished& finished) {
  for (const Ended& ended : finished.queues) {
    try {
      ended.end.wait();
    } catch (const Error& error) {
      note(code_of(error), error.what());
    }
  }
}

namespace {

// What is in the stream still runs.
void end_with_thread(const ThreadState::OwnStream& own) {
  try {
    Context* const context = own.stream->context;
    if (context && own.epoch == context->epoch()) context->destroy_stream(*own.stream);
  } catch (const std::exception&) {  // it ended with the context
  }
}

}  // namespace

CUstream_st& Context::thread_stream() {
  ThreadState& thread = thread_state();
  if (static_cast<int>(thread.streams.size()) <= slot_) thread.streams.resize(static_cast<std::size_t>(slot_) + 1);
  ThreadState::OwnStream& own = thread.streams[static_cast<std::size_t>(slot_)];
  if (!own.stream || own.epoch != epoch()) own = {&make_stream(cudaStreamDefault, 0), epoch(), end_with_thread};
  return *own.stream;
}

CUstream_st& Context::stream(cudaStream_t handle, bool per_thread) {
  if (handle == cudaStreamLegacy || (!handle && !per_thread)) return *legacy_;
  if (handle == cudaStreamPerThread || !handle) return thread_stream();
  if (!handles_.streams.is_alive(handle))
    throw Failure(cudaErrorInvalidResourceHandle, "the stream was not made, or was destroyed");
  if (handle->context != this)
    throw Failure(cudaErrorInvalidResourceHandle, "the stream belongs to another device than the current one");
  return *handle;
}

CUstream_st& Context::any_stream(cudaStream_t handle, bool per_thread) {
  const bool made = handle && handle != cudaStreamLegacy && handle != cudaStreamPerThread;
  if (made && handles_.streams.is_alive(handle)) return *handle;
  return stream(handle, per_thread);
}

// The legacy stream waits for all that is in the others, and they for all that is in it. (A queue's wait takes the
// event as it is then, so one event for each stream is enough.)
void Context::order(CUstream_st& stream) {
  ++stream.submitted;
  if (&stream == legacy_) {
    for (CUstream_st* other : streams_) {
      if (other->non_blocking() || other->submitted == other->seen_by_legacy) continue;
      other->queue->record(*other->turn);
      legacy_->queue->wait(*other->turn);
      other->seen_by_legacy = other->submitted;
    }
  } else if (!stream.non_blocking() && stream.seen_of_legacy != legacy_->submitted) {
    legacy_->queue->record(*legacy_->turn);
    stream.queue->wait(*legacy_->turn);
    stream.seen_of_legacy = legacy_->submitted;
  }
}

void Context::add_callback(CUstream_st& stream, const CallbackLine::Callback& callback) {
  submit(stream, [&](heddle::Queue& queue) {
    heddle::Event before = device_.untimed_event();
    queue.record(before);
    if (!stream.callbacks) stream.callbacks = std::make_shared<CallbackLine>(sticky_);
    const auto command = stream.callbacks->add(callback, std::move(before));
    try {
      queue.call([command] { command->run(); });
    } catch (...) {
      command->drop();
      throw;
    }
  });
}

void Context::record(CUstream_st& stream, CUevent_st& event) {
  submit(stream, [&](heddle::Queue& queue) {
    queue.record(*event.event);
    event.recorded = true;
    const base::Lock of_event(event.callbacks_mutex);
    event.callbacks = callbacks_of(stream);
  });
}

void Context::fail(const Error& error) {
  const cudaError_t code = code_of(error);
  note(code, error.what());
  thread_state().launch_lacked_memory = code == cudaErrorMemoryAllocation;
  throw Failure(code, error.what());
}

// The legacy stream stands for all that are in step with it.
void Context::synchronize(CUstream_st& stream) {
  std::optional<Waited> waited;
  std::vector<Waited> others;
  {
    const base::Lock lock(mutex_);
    check_usable(stream);
    if (&stream == legacy_) {
      for (CUstream_st* other : streams_)
        if (!other->non_blocking() && other->submitted != other->checked) others.push_back(waited_of(*other));
    }
    waited.emplace(waited_of(stream));
  }
  std::optional<Error> first;
  {
    const WaitLine line;
    wait_for(waited->queue, waited->callbacks, first);
    for (const Waited& other : others) wait_for(other.queue, other.callbacks, first);
  }
  std::fflush(stdout);  // what kernels have printed
  if (first) fail(*first);
  check_graphs();
  Finished finished;
  {
    const base::Lock lock(mutex_);
    was_waited_for(*waited);
    for (const Waited& other : others) was_waited_for(other);
    finished = take_finished();
  }
  let_go(finished);
}

Context::Waited Context::waited_of(CUstream_st& stream) {
  return {&stream, stream.id, stream.submitted, *stream.queue, callbacks_of(stream)};
}

CallbackMark Context::callbacks_of(const CUstream_st& stream) {
  return stream.callbacks ? CallbackMark{stream.callbacks, stream.callbacks->added()} : CallbackMark{};
}

// The slot may have become another stream meanwhile.
void Context::was_waited_for(const Waited& waited) {
  if (waited.stream->id == waited.id) waited.stream->checked = std::max(waited.stream->checked, waited.submitted);
}

void Context::wait_for(const heddle::Queue& queue, const CallbackMark& callbacks, std::optional<Error>& first) {
  try {
    queue.synchronize();
  } catch (const Error& error) {
    if (!is_sticky(code_of(error))) queue.clear_failure();  // the others stay for every call after this one
    if (!first) first = error;
  }
  callbacks.wait();
}

void Context::synchronize() {
  refuse_in_host_function();
  std::vector<Waited> all;
  std::vector<std::pair<heddle::Queue, CallbackMark>> ends;
  {
    const base::Lock lock(mutex_);
    all.push_back(waited_of(*legacy_));
    for (CUstream_st* stream : streams_) all.push_back(waited_of(*stream));
    for (const Ended& ended : ended_) ends.emplace_back(ended.queue, ended.callbacks);
  }
  std::optional<Error> first;
  {
    const WaitLine line;
    for (const Waited& waited : all) wait_for(waited.queue, waited.callbacks, first);
    for (const auto& [queue, callbacks] : ends) wait_for(queue, callbacks, first);
  }
  std::fflush(stdout);
  if (first) fail(*first);
  check_graphs();
  Finished finished;
  {
    const base::Lock lock(mutex_);
    for (const Waited& waited : all) was_waited_for(waited);
    finished = take_finished();
  }
  let_go(finished);
}

bool Context::idle(CUstream_st& stream) {
  std::vector<heddle::Event> ends;
  {
    const base::Lock lock(mutex_);
    check_usable(stream);
    const auto ask = [&](CUstream_st& asked) {
      if (!asked.end) asked.end.emplace(device_.untimed_event());
      if (asked.asked != asked.submitted) asked.queue->record(*asked.end);
      asked.asked = asked.submitted;
      ends.push_back(*asked.end);
    };
    ask(stream);
    if (&stream == legacy_) {
      for (CUstream_st* other : streams_)
        if (!other->non_blocking()) ask(*other);
    }
  }
  for (const heddle::Event& end : ends)
    if (!end.done()) return false;
  try {
    for (const heddle::Event& end : ends) end.wait();
  } catch (const Error& error) {
    fail(error);
  }
  check_graphs();
  return true;
}

// What failed in a queue of a graph is told to who waits for the stream.
void Context::check_graphs() {
  try {
    graph_lanes.check();
  } catch (const Error& error) {
    fail(error);
  }
  graph_lanes.drop_finished();
}

void Context::free_behind(CUstream_st& stream, heddle::Memory memory, std::size_t size, CUmemPoolHandle_st* pool) {
  constexpr std::size_t many = 256;  // to look through at each allocation
  Finished finished;
  {
    const base::Lock lock(mutex_);
    check_usable(stream);
    heddle::Event end = device_.untimed_event();
    order(stream);
    stream.queue->record(end);
    later_.push_back({std::move(end), std::move(memory), size, stream.id, pool});
    if (pool) pool->freed += size;
    if (later_.size() > many) finished = take_finished();
  }
  let_go(finished);
}

std::optional<heddle::Memory> Context::take_again(CUstream_st& stream, std::size_t size, CUmemPoolHandle_st& pool) {
  std::vector<Later> taken;
  const base::Lock lock(mutex_);
  for (std::size_t i = later_.size(); i-- > 0 && taken.empty();) {
    const Later& later = later_[i];
    if (later.pool == &pool && later.size == size && (later.stream == stream.id || later.end.done()))
      take_later(i, taken);
  }
  if (taken.empty()) return std::nullopt;
  return std::move(taken.front().memory);
}

bool Context::free_waiting() {
  std::vector<Later> all;
  {
    const base::Lock lock(mutex_);
    while (!later_.empty()) take_later(later_.size() - 1, all);
  }
  for (const Later& later : all) {
    try {
      later.end.wait();
    } catch (const Error& error) {
      note(code_of(error), error.what());
    }
  }
  return !all.empty();
}

void Context::trim(CUmemPoolHandle_st& pool, std::uint64_t keep) {
  Finished finished;
  const base::Lock lock(mutex_);
  for (std::size_t i = later_.size(); i-- > 0;)
    if (later_[i].pool == &pool && later_[i].end.done() && pool.freed > keep) take_later(i, finished.memory);
}

std::vector<CUstream_st*> Context::streams() {
  const base::Lock lock(mutex_);
  return streams_;
}

void Context::end_all() {
  graph_lanes.reset();
  std::vector<heddle::Queue> queues;  // end without the mutex
  std::vector<CallbackMark> callbacks;
  Finished finished;
  {
    const base::Lock lock(mutex_);
    for (CUstream_st* stream : streams_) {
      stream->alive.store(false, std::memory_order_release);
      queues.push_back(std::move(*stream->queue));
      callbacks.push_back(callbacks_of(*stream));
      stream->callbacks.reset();
      stream->queue.reset();
      stream->end.reset();
      handles_.streams.give(*stream);
    }
    streams_.clear();
    while (!later_.empty()) take_later(later_.size() - 1, finished.memory);
    for (Ended& ended : ended_) {
      queues.push_back(std::move(ended.queue));
      callbacks.push_back(std::move(ended.callbacks));
    }
    ended_.clear();
    epoch_.fetch_add(1, std::memory_order_acq_rel);
  }
  legacy_->queue->clear_failure();
  queues.clear();  // waits for what other threads have put in meanwhile, and their failures are nobody's
  for (const CallbackMark& mark : callbacks) mark.wait();
  sticky_.store(cudaSuccess, std::memory_order_release);
  epoch_.store(handles_.next_id(), std::memory_order_release);
}

}  // namespace heddle::cuda_api
