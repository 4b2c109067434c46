// Tasks that are not submitted yet (managed mode).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "device/event.hpp"
#include "device/partition.hpp"
#include "graph/task.hpp"
#include "heddle/dim3.hpp"
#include "sched/kernel_traits.hpp"
#include "sched/range_view.hpp"

namespace heddle::sched {

struct LaunchQueue;

// The commands of a task, submitted as a whole or in ranges of blocks. Needs the core's lock. Its name, place, blocks,
// traits and profile, and whether it is divisible, stay the same: what a policy is shown of them is kept.
class Work {
 public:
  virtual ~Work() = default;
  virtual std::string_view name() const = 0;
  virtual std::size_t place() const = 0;
  virtual BlockRange blocks() const { return {0, 1}; }
  // Whether its blocks may be submitted in several ranges.
  virtual bool divisible() { return false; }
  virtual LaunchTraits traits() { return {}; }
  // Whether the policy decides when it is submitted, as for launches. Other work (copies, fills, events, calls) is
  // submitted when all that it depends on has been submitted and its queue is not suspended. Its end is not tracked.
  virtual bool governed() const { return true; }
  // Of other work: whether later work waits until it has run, and not only until it is submitted, as after functions of
  // the host. What is in a device behind one would count as in flight for as long as that runs. submit() gets an event
  // then, which take_event() has made.
  virtual bool holds_up() const { return false; }
  // Whether its ranges, and those of later work of its launch queue, end in the order in which they are submitted.
  virtual bool in_order() const { return false; }
  // Whether submit() can be called: the memory that it needs is allocated. If not, make_ready() is called first, on a
  // thread that may block, without the lock.
  virtual bool is_ready() { return true; }
  virtual void make_ready() {}
  // Submits blocks to the device, in order after those before. `last`: these are the last blocks. `partition`: where
  // they run; null: the whole device. Records `end` after them, if it is not null. Throws what the device throws.
  virtual void submit(BlockRange range, bool last, const device::Partition* partition, device::Event* end) = 0;
  // Called before submit() where the policy has chosen one (Decision::priority). Devices without priorities ignore it.
  virtual void set_priority(int priority) { static_cast<void>(priority); }
  // Called when the work is not submitted, or not completely, because of this failure.
  virtual void failed(const std::exception_ptr& failure) { static_cast<void>(failure); }
  // An event that submit() can record. Called for governed work, and for what holds up later work.
  virtual std::shared_ptr<device::Event> take_event() = 0;
  virtual void give_event(std::shared_ptr<device::Event> event) = 0;
  // Seconds that a block takes, divided by the number of blocks that run at once; 0: not known.
  virtual double seconds_per_block() const { return 0; }
  virtual void measured(std::uint64_t blocks, double seconds) {
    static_cast<void>(blocks);
    static_cast<void>(seconds);
  }
  // What is known of its kernel, for as long as the work lives; null: no profile.
  virtual const KernelTraits* corun() const { return nullptr; }
  // Its task in flight, once some of it is submitted; id 0 at the explicit level.
  virtual graph::TaskRef task() const { return {}; }
};

enum class TaskState : std::uint8_t {
  held,       // a task that it depends on is not submitted
  ready,      // it may be submitted
  submitted,  // all of it is submitted, or it has failed
  done        // it has run
};

struct HeldTask;
using ReadyTasks = std::map<std::uint64_t, HeldTask*>;  // by number

// Shared with the handles of the program. Guarded by the core's lock.
struct HeldTask {
  std::uint64_t id = 0;
  std::unique_ptr<Work> work;
  LaunchQueue* queue = nullptr;
  TaskState state = TaskState::held;
  BlockRange left;        // blocks that are not submitted
  bool required = false;  // a thread, or a queue that is not suspended, waits for it
  bool waits_for_memory = false;
  bool awaited = false;  // a thread sleeps until it is submitted
  // There was no memory to hold it. It is never submitted, and takes its place in the order until all that was held
  // before it has been submitted.
  bool abandoned = false;
  int priority = 0;           // Work::set_priority
  std::uint32_t ranges = 0;   // number of its ranges in flight
  std::uint64_t ordinal = 0;  // of governed tasks of its queue since the last synchronisation
  std::uint64_t held_ns = 0;  // the time at which it was made
  // Tasks that must be submitted before it, and after it.
  boost::container::small_vector<HeldTask*, 2> parents, children;
  std::list<std::shared_ptr<HeldTask>>::iterator place_in_list;
  ReadyTasks::node_type ready_place;  // made with the task: that it becomes ready must not need memory
  HeldTask* next_required = nullptr;  // while required tasks are searched for
  graph::TaskRef logical;             // in the DAG of held tasks; id 0: at the explicit level
  std::exception_ptr failure;         // submitting it failed
};

}  // namespace heddle::sched
