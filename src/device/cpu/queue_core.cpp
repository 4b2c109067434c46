#include "device/cpu/queue_core.hpp"

#include <mutex>
#include <utility>

#include "base/log.hpp"
#include "device/cpu/data_job.hpp"
#include "device/cpu/pool.hpp"
#include "device/cpu/services.hpp"

namespace heddle::device::cpu {

QueueCore::QueueCore(Pool& pool, Services& services, std::uint64_t id, int priority, WorkerSet workers)
    : pool_(pool), services_(services), id_(id), priority_(priority), workers_(std::move(workers)) {}

WorkerSet QueueCore::workers() const {
  const std::lock_guard guard(lock_);
  return workers_;
}

void QueueCore::set_workers(WorkerSet workers) {
  const std::lock_guard guard(lock_);
  workers_ = std::move(workers);
}

template <class SomeJob>
void QueueCore::submit_job(std::shared_ptr<SomeJob> job) {
  job->priority = priority_;
  job->allowed = workers_;
  job->owner = shared_from_this();
  push(std::move(job));
}

void QueueCore::submit(std::shared_ptr<Job> job) { submit_job(std::move(job)); }
void QueueCore::submit(std::shared_ptr<CallJob> call) { submit_job(std::move(call)); }

void QueueCore::record(const std::shared_ptr<EventState>& event) {
  {
    const std::lock_guard guard(lock_);
    // The number is that of a record that will be reached: there is memory for it.
    auto& record = std::get<Record>(commands_.emplace_back(Record{event, 0}));
    record.number = event->begin_record(shared_from_this());
    if (blocked_ || advancing_) return;
  }
  advance();
}

void QueueCore::record_end(const std::shared_ptr<EventState>& event) noexcept {
  {
    const std::lock_guard guard(lock_);
    end_ = Record{event, event->begin_record(shared_from_this())};
  }
  advance();
}

void QueueCore::wait(const std::shared_ptr<EventState>& event) { push(Wait{event, event->recorded()}); }

void QueueCore::wait_foreign(std::shared_ptr<const EventPoint> point) { push(ForeignWait{std::move(point)}); }

void QueueCore::push(Command command) {
  {
    const std::lock_guard guard(lock_);
    commands_.push_back(std::move(command));
    if (blocked_ || advancing_) return;
  }
  advance();
}

bool QueueCore::begin_inline() {
  const std::lock_guard guard(lock_);
  if (blocked_ || advancing_ || has_commands() || failure_ != nullptr) return false;
  blocked_ = true;
  return true;
}

void QueueCore::end_inline() {
  const std::lock_guard guard(lock_);
  blocked_ = false;
}

std::exception_ptr QueueCore::take_failure() {
  const std::lock_guard guard(lock_);
  return std::exchange(failure_, nullptr);
}

void QueueCore::advance(bool at_end) noexcept {
  std::unique_lock guard(lock_);
  if (blocked_ || advancing_) return;
  advancing_ = true;
  while (!blocked_ && has_commands()) {
    if (commands_.empty()) {
      const std::optional<Record> end = std::exchange(end_, std::nullopt);
      guard.unlock();
      reach(*end);
      guard.lock();
      continue;
    }
    Command command = std::move(commands_.front());
    commands_.pop_front();
    blocked_ = true;  // before the command can end
    guard.unlock();
    bool done = true;
    std::exception_ptr failure;
    try {
      done = start(command, at_end);
    } catch (...) {  // no memory: as if the command had failed
      failure = std::current_exception();
    }
    guard.lock();
    if (failure != nullptr && failure_ == nullptr) failure_ = std::move(failure);
    if (done) blocked_ = false;
  }
  advancing_ = false;
}

void QueueCore::reach(const Record& record) noexcept {
  std::exception_ptr failure;
  {
    const std::lock_guard guard(lock_);
    failure = failure_;
  }
  record.event->complete(record.number, failure, services_.now_ns());
}

template <class Post>
bool QueueCore::start_job(const std::shared_ptr<Job>& job, Post&& post) {
  bool failed = false;
  {
    const std::lock_guard guard(lock_);
    failed = failure_ != nullptr;
    if (!failed) active_ = job;
  }
  if (failed) {
    job->skip();
    return true;
  }
  try {
    post();
  } catch (...) {
    job->skip();
    const std::lock_guard guard(lock_);
    active_.reset();
    throw;
  }
  return false;
}

void QueueCore::post_call(const std::shared_ptr<CallJob>& call, bool at_end) {
  try {
    services_.host_calls.run([call] { call->call(); });
  } catch (const std::exception& error) {
    base::log_warn_once("a host function runs on a worker, which no kernel has meanwhile", error.what());
    pool_.post(call, at_end);
  }
}

bool QueueCore::start(Command& command, bool at_end) {
  if (const auto* job = std::get_if<std::shared_ptr<Job>>(&command))
    return start_job(*job, [&] { pool_.post(*job, at_end); });
  if (const auto* call = std::get_if<std::shared_ptr<CallJob>>(&command))
    return start_job(*call, [&] { post_call(*call, at_end); });
  if (const auto* record = std::get_if<Record>(&command)) {
    reach(*record);
    return true;
  }
  waits_for_event_.store(true, std::memory_order_release);
  const auto resumed = [self = shared_from_this()] { self->resume(); };
  const auto* const wait = std::get_if<Wait>(&command);
  bool pending = false;
  try {
    pending = wait != nullptr ? wait->event->subscribe(wait->number, resumed)
                              : std::get<ForeignWait>(command).point->on_done(resumed);
  } catch (...) {
    waits_for_event_.store(false, std::memory_order_release);
    throw;
  }
  if (!pending) waits_for_event_.store(false, std::memory_order_release);
  return !pending;
}

void QueueCore::resume() {
  waits_for_event_.store(false, std::memory_order_release);
  {
    const std::lock_guard guard(lock_);
    blocked_ = false;
  }
  advance();
}

void QueueCore::job_done(Job& job) noexcept {
  std::shared_ptr<Job> ended;
  {
    const std::lock_guard guard(lock_);
    if (failure_ == nullptr && job.failed()) failure_ = job.failure();
    ended = std::move(active_);
    blocked_ = false;
  }
  advance(true);
}

}  // namespace heddle::device::cpu
