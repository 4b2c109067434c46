// How a task is submitted, apart from what it does.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "device/event.hpp"
#include "device/partition.hpp"
#include "device/queue.hpp"
#include "graph/task.hpp"

namespace heddle::sched {

// The events around a task.
struct TaskEvents {
  std::shared_ptr<device::Event> start, end;  // start only where the task is timed
};

// What a submission asks at points that lie between the caller's. Called with the core's lock.
class SubmissionHook {
 public:
  virtual ~SubmissionHook() = default;
  // The task's parents are known. A number: the task gets the dedicated queue of this number, which is lent to no other
  // kind of task; nothing: a queue like others.
  virtual std::optional<std::size_t> parents_known(graph::TaskRef task) = 0;
  // The task has a queue, in which `before` is the last task that is not known to be finished; id 0: there is none.
  virtual void queue_known(graph::TaskRef task, graph::TaskRef before) = 0;
};

struct Submission {
  bool timed = false;    // events with times around it
  bool barrier = false;  // after all that was submitted, before all that will be, on all devices
  const device::Partition* partition = nullptr;  // to run in; null: the whole device
  SubmissionHook* hook = nullptr;
  // Without a hook: the number of a dedicated queue.
  std::optional<std::size_t> dedicated = {};
  // Parents that the task need not wait for to its start: it starts once their milestone is reached, and ends after
  // they have ended.
  std::span<const graph::TaskRef> early_parents = {};
  // Tasks that its queue waits for although it does not depend on them.
  std::span<const graph::TaskRef> also_after = {};
  // Put into the queue before the task; the task's milestone is reached after it. Null: there is none.
  const std::function<void(device::Queue& queue)>* milestone = nullptr;
  // Called once the task is done, with the core's lock.
  std::function<void(const TaskEvents& events)> on_finished = {};
  // Kept until the task is done.
  std::shared_ptr<const void> keep = {};
};

}  // namespace heddle::sched
