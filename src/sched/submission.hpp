// How a task is submitted: everything but its accesses and commands.
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
  std::shared_ptr<device::Event> start, end;  // start only if the task is timed
};

// Callbacks during a submission. Called with the core's lock.
class SubmissionHook {
 public:
  virtual ~SubmissionHook() = default;
  // Called when the task's parents are known. Returns the number of a dedicated queue for the task, which no other kind
  // of task gets; nothing: an ordinary queue.
  virtual std::optional<std::size_t> parents_known(graph::TaskRef task) = 0;
  // Called when the task has a queue. `before`: the last task of that queue that is not known to be finished; id 0: no
  // such task.
  virtual void queue_known(graph::TaskRef task, graph::TaskRef before) = 0;
};

struct Submission {
  bool timed = false;  // it gets timed events before and after it
  bool late = false;   // its end may be recorded late (late_ends.hpp)
  bool brief = false;  // it takes hardly longer than submitting it (graph/queue_chooser.hpp)
  // It runs after all tasks submitted before it and before all tasks submitted after it, on all devices.
  bool barrier = false;
  const device::Partition* partition = nullptr;  // on which it runs; null: the whole device
  SubmissionHook* hook = nullptr;
  // Without a hook: the number of a dedicated queue; nothing: an ordinary queue.
  std::optional<std::size_t> dedicated = {};
  // Parents during which the task may start: it starts after their milestone, and ends after their end.
  std::span<const graph::TaskRef> early_parents = {};
  // Tasks for which its queue waits although the task does not depend on them.
  std::span<const graph::TaskRef> also_after = {};
  // Puts commands into the queue before the task's own. The task's milestone is after these. Null: no milestone.
  const std::function<void(device::Queue& queue)>* milestone = nullptr;
  // Called when the task is done, with the core's lock.
  std::function<void(const TaskEvents& events)> on_finished = {};
  // Kept alive until the task is done.
  std::shared_ptr<const void> keep = {};
};

}  // namespace heddle::sched
