// What a thread of the program submits itself in managed mode, past the policy: calls, timed launches, and copies for
// the host.
//
// While it is put together the core's lock is released, and other threads go on to launch. The policy could submit some
// blocks of such a launch, and no task that comes after it can be submitted until the others are. So what is submitted
// past the policy has a place in the order of held tasks as well.
#pragma once

#include <memory>
#include <span>

#include "base/thread_safety.hpp"
#include "graph/access.hpp"
#include "sched/dispatcher.hpp"

namespace heddle::sched {

// A thread may have one turn at a time. It must not wait for all held tasks meanwhile: the turn is one of them. Whoever
// needs memory takes its turn before it (MemoryManager::Pressure), as a turn may wait for those that wait for memory.
class Turn {
 public:
  // Waits until the held tasks are submitted after which these accesses have to come: objects of the DAG of held tasks.
  // Tasks that come after the accesses stay held until the turn ends. Needs the core's lock, which is `lock`, and
  // releases it while it waits.
  Turn(Dispatcher& dispatcher, std::span<const graph::Access> accesses, base::Lock& lock)
      : dispatcher_(dispatcher), lock_(lock), task_(dispatcher.take_turn(accesses, lock)) {}
  // With the lock or without it, as where waiting for a device has thrown.
  ~Turn() {
    const bool locked = lock_.native().owns_lock();
    if (!locked) lock_.native().lock();
    dispatcher_.end_turn(*task_);
    if (!locked) lock_.native().unlock();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Dispatcher& dispatcher_;
  base::Lock& lock_;
  const std::shared_ptr<HeldTask> task_;
};

}  // namespace heddle::sched
