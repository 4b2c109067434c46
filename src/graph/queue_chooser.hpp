// Chooses the queue of a device for each task.
//
// Policies of "GrCUDA: DAG-based scheduling" (Parravicini et al., IPDPS 2021, section IV-C): a task without parents
// takes the queue that has been empty for longest, or a new one; the first child of a task takes that task's queue, so
// that no event is needed between them; other children get queues of their own.
//
// Beyond the paper: brief tasks share few queues. Submitting one takes about as long as it runs, so no more than a few
// of them run at once, and each further queue takes waits of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "graph/dag.hpp"
#include "heddle/scheduling.hpp"

namespace heddle::graph {

struct QueueChoice {
  std::uint32_t queue = 0;
  bool is_new = false;  // the device has to create it
  TaskRefs awaited;     // parents in other queues for which the queue does not wait yet
};

// What a task asks of its queue.
struct QueueNeeds {
  // It runs in the queue that is reserved for tasks with this number, and no child inherits it.
  std::optional<std::size_t> own = {};
  // A queue that has no task in flight when the task begins, if the caller knows one. A task that inherits no queue
  // takes it before any other.
  std::optional<std::uint32_t> idle = {};
  bool brief = false;  // it takes hardly longer than submitting it
};

// One object for each device. One thread at a time.
class QueueChooser {
 public:
  explicit QueueChooser(const Scheduling& policy = {}) : policy_(policy) { brief_.reserve(brief_queues); }

  // Chooses the queue of a task that was just appended, and sets its `queue`. `mine(task)`: whether a parent runs on
  // this device. Only such parents pass on their queue and are in `awaited`; the caller waits for the others.
  template <class Mine>
  QueueChoice choose(Dag& dag, TaskRef task, Mine&& mine, const QueueNeeds& needs = {}) {
    QueueChoice choice;
    Task& chosen = dag[task];
    const std::uint32_t from_parent = needs.own ? none : inherit(dag, chosen, mine);
    if (needs.own) {
      choice.queue = take_own(*needs.own, choice.is_new);
    } else if (from_parent != none) {
      choice.queue = from_parent;
    } else if (needs.idle) {
      choice.queue = *needs.idle;
    } else {
      choice.queue = needs.brief ? take_brief(choice.is_new) : take_free(choice.is_new);
    }
    chosen.queue = choice.queue;
    chosen.brief = needs.brief;
    Queue& queue = queues_[choice.queue];
    if (!chosen.parents.empty() && queue.waited_for.size() < queues_.size()) [[unlikely]]
      queue.waited_for.resize(queues_.size());
    // The parents are sorted. The latest is visited first, as a wait for it covers all earlier ones of its queue.
    for (auto parent = chosen.parents.rbegin(); parent != chosen.parents.rend(); ++parent) {
      const Task& p = dag[*parent];
      if (!mine(p) || p.queue == choice.queue) continue;
      TaskId& known = queue.waited_for[p.queue];
      if (known >= parent->id) continue;  // it waits for this one, or for a later one of that queue
      known = parent->id;
      choice.awaited.push_back(*parent);
    }
    if (choice.awaited.size() > 1) std::reverse(choice.awaited.begin(), choice.awaited.end());
    if (queue.tasks++ == 0) ++busy_;
    if (!needs.brief) ++queue.lasting;
    return choice;
  }
  QueueChoice choose(Dag& dag, TaskRef task, const QueueNeeds& needs = {}) {
    return choose(dag, task, [](const Task&) { return true; }, needs);
  }

  // Records that a task of this device is finished. Queues without tasks are reused, in the order in which they became
  // empty.
  void finished(const Task& task);

  std::size_t queues() const { return queues_.size(); }
  // Queues with tasks that are not known to be finished.
  std::uint32_t busy() const { return busy_; }

  static constexpr std::size_t brief_queues = 4;  // for brief tasks that inherit no queue

 private:
  static constexpr std::uint32_t none = ~0u;
  struct Queue {
    std::uint32_t tasks = 0;         // unfinished ones
    std::uint32_t lasting = 0;       // those of them that are not brief
    bool is_free = false;            // in free_
    bool is_own = false;             // in own_, and never in free_
    std::vector<TaskId> waited_for;  // by queue: the last task there that this one has waited for
  };

  template <class Mine>
  std::uint32_t inherit(Dag& dag, Task& task, Mine&& mine) const {
    for (const TaskRef& ref : task.parents) {
      Task& parent = dag[ref];
      if (!mine(parent) || queues_[parent.queue].is_own) continue;
      if (policy_.child_queues == Scheduling::ChildQueues::same_as_parent) return parent.queue;
      if (parent.queue_inherited) continue;
      parent.queue_inherited = true;
      return parent.queue;
    }
    return none;
  }
  std::uint32_t take_free(bool& is_new);
  std::uint32_t take_brief(bool& is_new);
  std::uint32_t take_own(std::size_t number, bool& is_new);

  Scheduling policy_;
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> own_;  // reserved queues, by number; none: not created
  std::size_t own_made_ = 0;
  std::deque<std::uint32_t> free_;
  std::vector<std::uint32_t> brief_;  // those that brief tasks take in turns
  std::size_t next_brief_ = 0;
  std::uint32_t busy_ = 0;
};

}  // namespace heddle::graph
