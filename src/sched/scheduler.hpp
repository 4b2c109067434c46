// Submits tasks: each becomes a task of the DAG, gets a queue of its device, and waits for its parents in other queues.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/thread_safety.hpp"
#include "device/device.hpp"
#include "graph/dag.hpp"
#include "heddle/scheduling.hpp"
#include "sched/device_queues.hpp"
#include "sched/late_ends.hpp"
#include "sched/short_times.hpp"
#include "sched/submission.hpp"
#include "sched/tracker.hpp"
#include "trace/recorder.hpp"

namespace heddle::sched {

class Scheduler {
 public:
  // A device's place is its index; the devices outlive the scheduler. `mutex` is the core's lock. Functions need it
  // unless they state otherwise. `trace`: records each task; null: no trace.
  Scheduler(const std::vector<device::Device*>& devices, const Scheduling& policy, base::Mutex& mutex,
            trace::Recorder* trace = nullptr);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  const Scheduling& policy() const { return policy_; }  // any thread
  // For a launch of a kernel on a place that needs nothing else. `last`: seconds of the last one that was measured; 0:
  // not known.
  const Submission& ordinary(std::uint64_t kernel, std::size_t place, double last) {
    const double seconds = short_times_.of(kernel, last);
    const bool brief = seconds > 0 && seconds <= brief_launches * devices_[place].launch_seconds();
    return ordinary_[late_ends_.may_be_late(kernel, seconds) ? 1 : 0][brief ? 1 : 0];
  }
  std::size_t places() const { return devices_.size(); }
  device::Device& device(std::size_t place) { return devices_[place].device(); }
  graph::Dag& dag() { return dag_; }
  Tracker& tracker() { return tracker_; }
  // Adds an object to the DAG. In the trace it has the id of this array, or this name.
  graph::ObjectId add_object(std::uint64_t size, std::uint64_t array);
  graph::ObjectId add_object(std::uint64_t size, const std::string& name);

  // Submits a task: the commands that put(queue) puts into a queue of the place, after the tasks that it depends on
  // because of its accesses. Throws what `put` throws. The task then exists, without commands, so that later tasks come
  // after its parents.
  template <class Put>
  graph::TaskRef submit(std::size_t place, std::span<const graph::Access> accesses, Put&& put,
                        const Submission& submission = {}) {
    graph::TaskRef task;
    devices_[place].device().commands([&] {
      task = begin(place, accesses, submission);
      device::Queue& queue = *queue_->queue;
      try {
        put(queue);
      } catch (...) {
        end(task);
        throw;
      }
      end(task);
    });
    return task;
  }

  // An open task: its commands are put in one after the other.
  struct OpenTask {
    graph::TaskRef task;
    DeviceQueue* queue;
    trace::Recorder::Paused traced;
    std::vector<std::shared_ptr<device::Event>> ends_after;
  };
  // Appends a task and gives it a queue; put() adds its commands. Until close() it has no event for which another task
  // could wait. So submitting a task that depends on it is a defect of the caller: it throws Error(internal) and
  // changes nothing.
  OpenTask open(std::size_t place, std::span<const graph::Access> accesses, const Submission& submission);
  // Puts commands of an open task into its queue. They run on this partition; null: on the whole device.
  template <class Put>
  void put(OpenTask& open, const device::Partition* partition, Put&& put) {
    const TracedPart traced(trace_, open);
    devices_[dag_[open.task].place].device().commands([&] {
      set_partition(*open.queue, partition);
      put(*open.queue->queue);
    });
  }
  void close(OpenTask open);
  // Events for queues of the place; they are reused.
  std::shared_ptr<device::Event> take_event(std::size_t place, bool timed) { return devices_[place].take_event(timed); }
  void give_event(std::size_t place, std::shared_ptr<device::Event> event, bool timed) {
    devices_[place].give_event(event, timed);
  }

  // Queues of the place with tasks that are not known to be finished.
  std::uint32_t busy_queues(std::size_t place) const { return devices_[place].busy(); }

  // Waits for a task in flight. If it or a task before it has failed, makes its queue usable again and throws the
  // Error. Must be called without the lock, as must the other functions that wait.
  void wait(const InFlight& work);
  void wait(graph::TaskRef task);
  void wait(const graph::TaskRefs& tasks);
  // Waits for all submitted tasks; throws the first Error.
  void synchronize();
  // Wait for these tasks, or for all submitted ones. Errors are kept for the threads that wait for them by wait() or
  // synchronize().
  void drain(const graph::TaskRefs& tasks);
  void drain();

 private:
  // During its lifetime, commands that are put in belong to the open task in the trace.
  class TracedPart {
   public:
    TracedPart(trace::Recorder* trace, OpenTask& open) : trace_(trace), open_(open) {
      if (trace_) trace_->resume_task(open_.traced);
    }
    ~TracedPart() {
      if (trace_) open_.traced = trace_->pause_task();
    }
    TracedPart(const TracedPart&) = delete;
    TracedPart& operator=(const TracedPart&) = delete;

   private:
    trace::Recorder* const trace_;
    OpenTask& open_;
  };
  graph::TaskRef begin(std::size_t place, std::span<const graph::Access> accesses, const Submission& submission);
  graph::TaskRef append(std::span<const graph::Access> accesses, bool barrier);
  void enter(std::size_t place, graph::TaskRef task, std::span<const graph::Access> accesses,
             const Submission& submission);
  void wait_for_others(std::size_t place, device::Queue& queue, graph::TaskRef task, const Submission& submission);
  void add_extras(DeviceQueues& device, device::Queue& queue, graph::TaskRef task, const Submission& submission);
  void end(graph::TaskRef task);
  void wait_for(device::Queue& queue, graph::TaskRef task);
  void refuse_open(std::span<const graph::Access> accesses) const;
  static void set_partition(DeviceQueue& queue, const device::Partition* partition);
  static void drain(const std::vector<InFlight>& all);
  void trace(graph::TaskRef task, std::span<const graph::Access> accesses, const graph::TaskRefs& awaited);
  void wait_for_all(const std::vector<InFlight>& all, std::exception_ptr first);

  base::Mutex& mutex_;
  trace::Recorder* const trace_;
  const Scheduling policy_;
  // A launch that takes no longer than submitting two is brief. What is measured has a third in it: the end's event is
  // submitted after the launch.
  static constexpr double brief_launches = 3;
  const Submission ordinary_[2][2] = {{{}, {.brief = true}}, {{.late = true}, {.late = true, .brief = true}}};
  LateEnds late_ends_;
  ShortTimes short_times_;
  graph::Dag dag_;
  boost::container::stable_vector<DeviceQueues> devices_;
  const bool alone_;  // there is one device
  Tracker tracker_{dag_, devices_};
  graph::TaskRef barrier_;           // the last barrier
  std::vector<graph::TaskId> open_;  // tasks between open() and close()
  // State of the submission in progress: its queue, and the events after which it ends.
  DeviceQueue* queue_ = nullptr;
  bool late_ = false;
  std::vector<std::shared_ptr<device::Event>> ends_after_;
};

}  // namespace heddle::sched
