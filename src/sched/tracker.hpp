// Tracks tasks in flight: their events, when they are done, and their failures.
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

// A task and the event at its end, for threads that wait without the lock.
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

  // Members that few tasks need.
  struct Extras {
    std::uint64_t traced = 0;  // its number in the trace
    std::shared_ptr<device::Event> milestone;
    std::vector<std::function<void(const TaskEvents& events)>> on_finished;
    std::vector<std::shared_ptr<const void>> keep;
    std::vector<device::LaunchGraph::Tail> tails;  // of launches in other queues (device/launch_graph.hpp)
  };
  struct Running : TaskEvents {
    std::unique_ptr<Extras> extras;
    std::uint64_t kernel = 0;  // for LateEnds; 0: none
    Extras& with_extras() {
      if (!extras) extras = std::make_unique<Extras>();
      return *extras;
    }
  };
  // The state of a task that is appended and not finished.
  Running& operator[](graph::TaskRef task) { return running_[task.slot]; }
  const Running& operator[](graph::TaskRef task) const { return running_[task.slot]; }
  // Makes room for a task that was just appended.
  void append(graph::TaskRef task) {
    if (room_ <= task.slot) [[unlikely]]
      make_room(task.slot + 1);
  }
  // Records that the task is in its queue, which is given, and that its end event is recorded.
  void submitted(graph::TaskRef task, DeviceQueue& queue) {
    // Before this task is there, whose events the caller may still want.
    if (++queue.unpolled >= poll_after) [[unlikely]]
      poll(queue);
    queue.add(task);
  }

  // Records that the task and its ancestors are done. `failure`: the failure that its event reported. Stores failures
  // for failure_of() and returns the first one. Ancestors in other queues may have failed although this task's event
  // reports no failure.
  std::exception_ptr finish(graph::TaskRef task, std::exception_ptr failure = nullptr);
  // For a task that could not be put into its queue and so has no event. Waits for its parents and records that it is
  // done.
  void give_up(graph::TaskRef task);
  // The failure of a task that is done; null if it did not fail. Only the last failures are known.
  std::exception_ptr failure_of(graph::TaskId task) const;
  // The failure of a task for which no thread waited; it is returned once.
  std::exception_ptr take_unseen_failure() { return std::exchange(unseen_failure_, nullptr); }
  // Clears a failure that is being reported, so that later commands of the task's queue are not skipped any more.
  void clear_failure(graph::TaskRef task);

  // Those of these tasks that are not known to be done.
  std::vector<InFlight> in_flight(const graph::TaskRefs& tasks) const;
  // Whether all of these are done; asks the device about tasks that are not known to be done.
  bool all_done(const graph::TaskRefs& tasks) const;
  // The last task of each queue.
  graph::TaskRefs last_tasks() const;

 private:
  static constexpr std::size_t most_failures = 65'536;
  // How many tasks are submitted to a queue between two polls: a poll costs a call of the driver.
  static constexpr unsigned poll_after = 32;
  void make_room(std::uint32_t slots);
  void poll(DeviceQueue& queue);
  bool failed_elsewhere(const DeviceQueue& queue, std::size_t known) const;
  void forget(DeviceQueues& device, graph::TaskRef task, std::exception_ptr& failure);
  void remember(graph::TaskId task, std::exception_ptr failure);

  graph::Dag& dag_;
  boost::container::stable_vector<DeviceQueues>& devices_;
  std::vector<Running> running_;  // by the task's slot
  std::uint32_t room_ = 0;        // its size
  std::exception_ptr unseen_failure_;
  std::unordered_map<graph::TaskId, std::exception_ptr> failures_;
  std::deque<graph::TaskId> failed_;  // those of failures_, in order
};

}  // namespace heddle::sched
