// The order of a queue: which command is next, and when. Shared by the queue and its commands in flight.
#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <variant>

#include "device/cpu/adaptive_lock.hpp"
#include "device/cpu/event_state.hpp"
#include "device/cpu/job.hpp"
#include "device/event.hpp"

namespace heddle::device::cpu {

class CallJob;
class Pool;
class Services;

class QueueCore final : public JobOwner, public Recorder, public std::enable_shared_from_this<QueueCore> {
 public:
  QueueCore(Pool& pool, Services& services, std::uint64_t id, int priority, WorkerSet workers);

  std::uint64_t id() const override { return id_; }
  // Those of commands that are submitted from now on. Read by any thread, set by the one that submits.
  WorkerSet workers() const override;
  void set_workers(WorkerSet workers);
  int priority() const { return priority_; }

  // Commands, in order. One thread at a time.
  void submit(std::shared_ptr<Job> job);
  void submit(std::shared_ptr<CallJob> call);
  void record(const std::shared_ptr<EventState>& event);
  // A record behind all commands, before there are others. Needs no memory, so that a queue can always be waited for.
  void record_end(const std::shared_ptr<EventState>& event) noexcept;
  void wait(const std::shared_ptr<EventState>& event);
  // A point in the order of another device's queue.
  void wait_foreign(std::shared_ptr<const EventPoint> point);
  // When no command is pending: runs a short command on the calling thread, with the queue blocked. Else false.
  template <class F>
  bool run_inline(F&& command) {
    if (!begin_inline()) return false;
    const struct End {
      QueueCore& core;
      ~End() { core.end_inline(); }
    } end{*this};
    command();
    return true;
  }

  // The first failure, which is cleared. Only when all commands have run.
  std::exception_ptr take_failure();
  bool waits_for_event() const override { return waits_for_event_.load(std::memory_order_acquire); }

  // The event that the head waits for has been reached.
  void resume();
  void job_done(Job& job) noexcept override;

 private:
  struct Record {
    std::shared_ptr<EventState> event;
    std::uint64_t number;
  };
  struct Wait {
    std::shared_ptr<EventState> event;
    std::uint64_t number;
  };
  struct ForeignWait {
    std::shared_ptr<const EventPoint> point;
  };
  using Command = std::variant<std::shared_ptr<Job>, std::shared_ptr<CallJob>, Record, Wait, ForeignWait>;
  bool begin_inline();
  void end_inline();
  void push(Command command);
  // With the lock.
  bool has_commands() const { return !commands_.empty() || end_; }
  void reach(const Record& record) noexcept;
  // `at_end`: see Pool::post().
  void advance(bool at_end = false) noexcept;
  // Starts a command; false when the queue is blocked until job_done() or resume(). Throws std::bad_alloc.
  bool start(Command& command, bool at_end);
  // `post` has the job run.
  template <class Post>
  bool start_job(const std::shared_ptr<Job>& job, Post&& post);
  void post_call(const std::shared_ptr<CallJob>& call, bool at_end);
  template <class SomeJob>
  void submit_job(std::shared_ptr<SomeJob> job);

  Pool& pool_;
  Services& services_;
  const std::uint64_t id_;
  const int priority_;

  mutable AdaptiveLock lock_;
  WorkerSet workers_;  // changed by the thread that submits, which reads it without the lock
  std::deque<Command> commands_;
  std::optional<Record> end_;  // behind them
  bool blocked_ = false;       // a job runs, or an event is pending
  bool advancing_ = false;     // a thread is in advance(): it checks again before it leaves
  std::atomic<bool> waits_for_event_{false};
  std::shared_ptr<Job> active_;
  std::exception_ptr failure_;
};

}  // namespace heddle::device::cpu
