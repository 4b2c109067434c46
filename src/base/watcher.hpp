// Calls back when something has happened: when a condition has become true, when a time has come, or at once.
//
// One thread does it for the whole process, so that nothing else has to poll. All callbacks run on that thread, one
// after the other, under no lock. A callback must be short and must not block or throw: all others wait behind it. It
// may call every function of the watcher.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.hpp"

namespace heddle::base {

class Watcher {
 public:
  using Callback = std::function<void()>;
  using Condition = std::function<bool()>;

  virtual ~Watcher() = default;

  // The clock of deadlines, which is also that of the devices that use this watcher.
  virtual const Clock& clock() const = 0;

  // Runs `callback` soon. Callbacks run in the order of these calls. Any thread, under any lock.
  // Throws out_of_memory, as the next two do, when the thread cannot be started.
  virtual void post(Callback callback) = 0;

  // Evaluates `condition` on the watcher's thread until it is true, then runs `callback`. Conditions with the same
  // `sequence` are evaluated one at a time, in the order of these calls, and so their callbacks run in that order; null
  // puts a condition into no sequence. A condition must be as short as a callback. It is evaluated every few
  // microseconds at first and less often when it has been false for long. Any thread, under any lock.
  virtual void poll(const void* sequence, Condition condition, Callback callback) = 0;

  // Runs `callback` when the clock reaches `deadline_ns`. Returns the timer's number, which is not 0. Any thread.
  virtual std::uint64_t at(std::uint64_t deadline_ns, Callback callback) = 0;
  // Takes a timer back. False: its callback has run or is running. Any thread.
  virtual bool cancel(std::uint64_t timer) = 0;

  // Waits until what was posted before has run and no callback is running that began before. Not for callbacks.
  virtual void drain() = 0;
};

// A watcher of its own, for tests and simulations. Callbacks that have not run when it ends are dropped.
std::shared_ptr<Watcher> make_watcher(std::shared_ptr<const Clock> clock);

// The watcher that everything in the process shares, on the machine's clock. Its thread starts with the first call that
// needs it and ends with the last reference. Any thread.
std::shared_ptr<Watcher> process_watcher();

}  // namespace heddle::base
