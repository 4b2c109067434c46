// Tasks in flight: their events, and what becomes known when they are done.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/launch_graph.hpp"
#include "graph/dag.hpp"
#include "sched/device_queues.hpp"
#include "sched/submission.hpp"

namespace heddle::sched {

// A task and the event after it, for threads that wait without the lock.
struct InFlight {
  graph::TaskRef task;
  std::shared_ptr<device::Event> end;
};

// Needs the core's lock.
class Tracker {
 public:
  Tracker(graph::Dag& dag, boost::container::stable_vector<DeviceQueues>& devices) : dag_(dag), devices_(devices) {}
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;

  // What few tasks have.
  struct Extras {
    std::uint64_t traced = 0;  // its number in the trace
    std::shared_ptr<device::Event> milestone;
    std::vector<std::function<void(const TaskEvents& events)>> on_finished;
    std::vector<std::shared_ptr<const void>> keep;
    std::vector<device::LaunchGraph::Tail> tails;  // launches beside its queue (device/launch_graph.hpp)
  };
  struct Running : TaskEvents {
    std::unique_ptr<Extras> extras;
    Extras& with_extras() {
      if (!extras) extras = std::make_unique<Extras>();
      return *extras;
    }
  };
  // Of a task that is appended and not finished.
  Running& operator[](graph::TaskRef task) { return running_[task.slot]; }
  const Running& operator[](graph::TaskRef task) const { return running_[task.slot]; }
  // Room for one that was just appended.
  void append(graph::TaskRef task) {
    if (running_.size() <= task.slot) running_.resize(task.slot + 1);
  }
  // The task is in its queue, its end recorded.
  void submitted(graph::TaskRef task);

  // The task is done, and so are its ancestors. `failure`: what its event reported. What failed is remembered
  // (failure_of), and the first such failure returned: ancestors in other queues may have failed although this task's
  // event does not say so.
  std::exception_ptr finish(graph::TaskRef task, std::exception_ptr failure = nullptr);
  // There will be no event for the task, which could not be put into its queue: waits for its parents, then it is done.
  void give_up(graph::TaskRef task);
  // What a task that is done has failed with; null where it has not. The last failures are known.
  std::exception_ptr failure_of(graph::TaskId task) const;
  // What failed while nobody waited for it, once.
  std::exception_ptr take_unseen_failure() { return std::exchange(unseen_failure_, nullptr); }
  // Later commands of the task's queue are not skipped any more for the failure that is being reported.
  void clear_failure(graph::TaskRef task);

  // Of these tasks those that are not done.
  std::vector<InFlight> in_flight(const graph::TaskRefs& tasks) const;
  // Whether all of these are done, also those that are not known to be.
  bool all_done(const graph::TaskRefs& tasks) const;
  // The last task of each queue.
  graph::TaskRefs last_tasks() const;

 private:
  static constexpr std::size_t most_failures = 65'536;
  void poll(DeviceQueue& queue);
  void forget(DeviceQueues& device, graph::TaskRef task, std::exception_ptr& failure);
  void remember(graph::TaskId task, std::exception_ptr failure);

  graph::Dag& dag_;
  boost::container::stable_vector<DeviceQueues>& devices_;
  std::vector<Running> running_;  // by the task's slot
  std::exception_ptr unseen_failure_;
  std::unordered_map<graph::TaskId, std::exception_ptr> failures_;
  std::deque<graph::TaskId> failed_;  // those of failures_, in order
};

}  // namespace heddle::sched
