// Work in flight: every command is a task of the DAG, gets a queue of its device and waits for its parents elsewhere.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "graph/dag.hpp"
#include "heddle/kernel.hpp"
#include "runtime/early_gain.hpp"
#include "runtime/trace_file.hpp"
#include "sched/queue_chooser.hpp"

namespace heddle::runtime {

// A task and the event behind it, for who waits without the lock.
struct InFlight {
  graph::TaskRef task;
  std::shared_ptr<device::Event> end;
};

// What a task asks for besides.
struct TaskOptions {
  bool start = false;                            // an event in front of it, for its time
  std::shared_ptr<KernelHistory> history = {};   // to be told that time
  const device::Partition* partition = nullptr;  // to run in; null: the whole device
  bool copies = false;                           // it copies bytes, and needs none of the device's processors
  // It is a copy that tells how far it has come, to a destination that begins at this address.
  std::shared_ptr<device::Arrival> arrival = {};
  std::uint64_t arrives_at = 0;
  // Copies that tell and need not be over when it begins: it looks at these words. It ends behind them.
  std::span<const graph::TaskRef> ahead_of = {};
  std::shared_ptr<EarlySample> sample = {};  // to be told when it ends
  bool barrier = false;  // behind all that was submitted, and before all that will be, on all devices
};

class Engine {
 public:
  // The devices' places are their numbers; the devices outlive the engine. `mutex` guards all that says it needs the
  // lock. `trace`: is told of each task; null: nobody is.
  Engine(const std::vector<device::Device*>& devices, const Scheduling& policy, std::mutex& mutex,
         TraceFile* trace = nullptr);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  graph::Dag& dag() { return dag_; }  // needs the lock
  // An object of the DAG, whose uses the trace calls those of this array. Needs the lock.
  graph::ObjectId add_object(std::uint64_t size, std::uint64_t array);
  graph::ObjectId add_object(std::uint64_t size, const std::string& name);
  const Scheduling& policy() const { return policy_; }

  using Wanted = TaskOptions;
  struct Submitted {
    graph::TaskRef task;
    std::shared_ptr<device::Event> start, end;  // start only where asked for
  };
  // Makes a task of what put(queue) puts into a queue of the place, behind all that its accesses make it wait for.
  // Needs the lock. What put throws is thrown on; the task is there all the same, empty, so that whoever comes behind
  // it comes behind its parents.
  template <class Put>
  Submitted submit(std::size_t place, std::span<const graph::Access> accesses, Put&& put, const Wanted& wanted = {}) {
    Submitted made;
    places_[place].device->commands([&] {
      made = begin(place, accesses, wanted);
      device::Queue& queue = *lane_->queue;
      try {
        put(queue);
      } catch (...) {
        end(made);
        throw;
      }
      end(made);
    });
    return made;
  }

  // The copies that tell from here on are of another launch. Needs the lock.
  void begin_arrivals(std::size_t place);
  // A copy in flight that tells how far it has come, and that a launch which waits for it on the device cannot keep
  // from going on; null: the task is none. Needs the lock.
  const std::shared_ptr<device::Arrival>& arrival_of(graph::TaskRef task) const;
  // The events around a task in flight; those with no start are null. Needs the lock.
  EarlySample::Copy events_of(graph::TaskRef task) const {
    return {running_[task.slot].start, running_[task.slot].end};
  }
  // A word of the place that no copy writes: all is there. Null where copies cannot tell. Needs the lock.
  const std::shared_ptr<device::Arrival>& whole(std::size_t place);

  // Queues of the place with tasks that are not known to be finished. Needs the lock.
  std::uint32_t busy_queues(std::size_t place) const { return places_[place].chooser.busy(); }

  // The task is a launch of this graph, with these launches beside its queue. Needs the lock.
  void set_graph(graph::TaskRef task, std::shared_ptr<device::LaunchGraph> graph,
                 std::vector<device::LaunchGraph::Tail> tails);

  // Waits for an event of the place's task; throws the Error of what failed in it or before it, once its queue is
  // usable again. Without the lock.
  void wait(const InFlight& work);
  void wait(const graph::TaskRefs& tasks);
  // Those tasks, to be waited for without the lock. Needs the lock.
  std::vector<InFlight> in_flight(const graph::TaskRefs& tasks);
  // Waits for all that was submitted; throws the first Error. Without the lock.
  void synchronize();
  // Waits for it and leaves the errors to who asks for them.
  void drain();

 private:
  static constexpr std::size_t most_arrival_queues = 4, most_samples = 16;
  struct Lane {
    std::unique_ptr<device::Queue> queue;
    const device::Partition* partition = nullptr;  // that the queue is set to
    std::deque<graph::TaskRef> tasks;              // in order, as far as they are not known to be finished
    unsigned unpolled = 0;                         // submitted since somebody looked at what is done
  };
  struct Place {
    device::Device* device;
    sched::QueueChooser chooser;
    std::deque<Lane> lanes;                                   // by the chooser's number
    std::vector<graph::TaskRef> told, telling;                // copies that tell, of the launch before and of this one
    std::vector<std::shared_ptr<const EarlySample>> samples;  // the last ones
    std::vector<graph::TaskRef> stuck_copies;                 // in flight, as far as is known, and not free
    std::shared_ptr<device::Arrival> whole;                   // see whole()
    bool tells = true;                                        // as far as is known
    std::vector<std::shared_ptr<device::Event>> spare[2];     // done, and nobody refers to them: without and with time
  };
  // What few tasks have.
  struct Besides {
    std::uint64_t traced = 0;                             // its number in the trace
    std::shared_ptr<KernelHistory> history;               // that wants to know the time in between
    std::shared_ptr<device::Event> announced;             // from here on its word is good
    std::vector<std::shared_ptr<device::Arrival>> words;  // that it writes, or looks at
    std::shared_ptr<EarlySample> sample;
    std::shared_ptr<device::LaunchGraph> graph;  // ends with its last launch at the earliest
    std::vector<device::LaunchGraph::Tail> tails;
  };
  struct Running {
    std::shared_ptr<device::Event> start, end;
    std::unique_ptr<Besides> besides;
    // Nothing keeps it from being done but the copies that it comes behind, and these are free too; so kernels that
    // fill the device while they wait for it do no harm.
    bool is_free = false;
    Besides& with_besides() {
      if (!besides) besides = std::make_unique<Besides>();
      return *besides;
    }
  };

  Submitted begin(std::size_t place, std::span<const graph::Access> accesses, const Wanted& wanted);
  void enter(std::size_t place, Submitted& made, std::span<const graph::Access> accesses, const Wanted& wanted);
  void announce(Place& place, const Submitted& made, const Wanted& wanted);
  bool goes_on(graph::TaskRef task) const;  // it is free, or over
  // Whether a copy, or a launch ahead of its copies, is free but for what is before it in its queue.
  bool is_unhindered(Place& place, graph::TaskRef task, const Wanted& wanted) const;
  void wait_for_parents(std::size_t number, Lane& lane, graph::TaskRef task, const graph::TaskRefs& awaited,
                        const Wanted& wanted);
  void give_up(graph::TaskRef task);
  void end(Submitted& made);
  void trace(const Submitted& made, std::span<const graph::Access> accesses, const graph::TaskRefs& awaited);
  static std::shared_ptr<device::Event> take_event(Place& place, bool timed);
  static void give(Place& place, std::shared_ptr<device::Event>& event, bool timed);
  static void tell_history(const Place& place, const Running& running);
  void forget_besides(Place& place, Running& running, std::exception_ptr& failure);
  // The task and its ancestors. Those in other queues may have failed, which this one's event does not tell: the first
  // such Error is returned.
  std::exception_ptr finish(graph::TaskRef task);
  void poll(Lane& lane);
  graph::TaskRefs last_tasks() const;  // of each queue
  graph::TaskRef append_barrier(std::span<const graph::Access> accesses);
  void keep_behind_barrier(graph::TaskRef task);

  std::mutex& mutex_;
  TraceFile* const trace_;
  const Scheduling policy_;
  graph::Dag dag_;
  std::deque<Place> places_;
  std::vector<Running> running_;  // by the task's slot
  std::vector<InFlight> last();
  std::exception_ptr forgotten_;                        // what failed while nobody waited for it
  graph::TaskRef barrier_;                              // the last one
  std::vector<std::shared_ptr<device::Event>> behind_;  // that the submission under way ends behind
  Lane* lane_ = nullptr;                                // that the submission under way is for
};

}  // namespace heddle::runtime
