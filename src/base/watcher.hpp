// Runs callbacks: when a condition has become true, at a given time, or as soon as possible.
//
// One thread serves the whole process, so that no other thread has to poll. All callbacks run on that thread, one after
// the other, without a lock. A callback must be short and must not block or throw, as all others wait for it. It may
// call every function of the watcher.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <utility>

#include "base/clock.hpp"

namespace heddle::base {

class Watcher {
 public:
  using Callback = std::function<void()>;
  using Condition = std::function<bool()>;
  // Callbacks with their places in the list of what is posted.
  using Prepared = std::list<Callback>;

  virtual ~Watcher() = default;

  // The clock of the deadlines. Devices that use this watcher use the same clock.
  virtual const Clock& clock() const = 0;

  // Runs callbacks as soon as possible, in the order of these calls. It needs no memory: what must report the end of
  // something prepares that before it begins. Any thread, under any lock.
  virtual void post(Prepared callbacks) noexcept = 0;
  // What post() needs. Throws out_of_memory, also if the thread cannot be started; so do poll() and at().
  virtual Prepared prepare(Callback callback) = 0;
  void post(Callback callback) { post(prepare(std::move(callback))); }
  // In a callback that was posted: whether others that were posted run after it without a pause. So what is the same
  // for all of them can be done once, in one more that is posted.
  virtual bool more_posted() const { return false; }

  // Evaluates `condition` on the watcher's thread until it is true, then runs `callback`. Conditions with the same
  // `sequence` become true in the order of `place`, lower ones first. So only the lowest is evaluated at a time, and
  // their callbacks run in that order; those of equal places in the order of these calls. A null `sequence` is no
  // sequence. A condition must be as short as a callback. It is evaluated every few microseconds at
  // first, and less often after it has been false for long. Any thread, under any lock.
  virtual void poll(const void* sequence, std::uint64_t place, Condition condition, Callback callback) = 0;

  // Runs `callback` when the clock reaches `deadline_ns`. Returns the timer's number, which is not 0. Any thread.
  virtual std::uint64_t at(std::uint64_t deadline_ns, Callback callback) = 0;
  // Cancels a timer. False: its callback has run or is running. Any thread.
  virtual bool cancel(std::uint64_t timer) = 0;

  // Waits until the callbacks that were posted before have run, and until no callback that began before is running.
  // Must not be called from a callback.
  virtual void drain() = 0;
};

// A watcher with its own thread, for tests and simulations. Callbacks that have not run when it is destroyed are
// dropped.
std::shared_ptr<Watcher> make_watcher(std::shared_ptr<const Clock> clock);

// The watcher that the whole process shares, with the machine's clock. Its thread starts with the first call that needs
// it and ends with the last reference. Any thread.
std::shared_ptr<Watcher> process_watcher();

}  // namespace heddle::base
