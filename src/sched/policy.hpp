// Policies decide when held tasks are submitted, in which ranges of blocks, and on which processors (managed mode).
//
// A policy is a function of the view that it is given. It owns no thread, clock or device. It is called whenever
// something has changed, and returns decisions. docs/policies.md shows a complete policy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/dim3.hpp"
#include "sched/kernel_traits.hpp"
#include "sched/range_view.hpp"
#include "sched/tenant.hpp"

namespace heddle::sched {

// A launch queue in a view: the tasks of one stream or tenant, in order.
struct QueueView {
  std::uint32_t id = 0;
  std::string_view name;
  int priority = 0;  // higher is more urgent
  bool suspended = false;
  const Tenant* tenant = nullptr;  // whose queue it is; null: nobody's
};

// A task that may be submitted now, as all tasks that it depends on have been submitted.
struct TaskView {
  std::uint64_t id = 0;  // in the order in which tasks were made
  std::string_view name;
  const QueueView* queue = nullptr;
  std::size_t place = 0;     // its device
  BlockRange left;           // blocks that are not submitted; [0, 1) if it is not a launch
  std::uint64_t blocks = 1;  // of the whole task
  bool divisible = false;    // it may be submitted in ranges of blocks
  bool required = false;     // the host, or a queue that is not suspended, waits for it
  // Seconds that a block has taken, divided by the number of blocks that run at once; 0: not known.
  double seconds_per_block = 0;
  LaunchTraits traits = {};
  const KernelTraits* corun = nullptr;  // null: its kernel has no profile
  std::uint64_t ordinal = 0;            // of launches of its queue since the last synchronisation
  std::uint64_t held_ns = 0;            // the time at which it was made
};

// The work in flight that was submitted to a device.
struct DeviceView {
  unsigned processors = 1;
  std::uint32_t ranges = 0;          // submitted and not known to be done
  double predicted_seconds = 0;      // of the ranges whose time is known
  std::uint32_t unknown_ranges = 0;  // ranges whose time is not known
  unsigned grain = 1;                // processors that can only be given together: the SMs of a TPC
  // Policies of tenants choose sets of processors that begin and end at multiples of so many units (of `grain`
  // processors), or where a tenant's own ones do. Above 1 where each new set takes long to make.
  unsigned set_units = 1;
  bool on_host = false;                // its processors are cores of the host, which each thread takes that wakes up
  const CoRunDevice* corun = nullptr;  // null: kernels do not share its processors, or it was not measured
};

struct View {
  std::uint64_t now_ns = 0;                     // time of the runtime's clock
  std::span<const TaskView> ready;              // in the order in which they were made
  std::span<const DeviceView> devices;          // by place
  std::span<const Tenant* const> tenants = {};  // all, in the order in which they were made
  std::uint64_t tenants_version = 0;            // changes when a tenant was made, removed or set
  // Of policies whose sees_ranges() is true; otherwise empty.
  std::span<const RangeView> in_flight = {};     // in the order of submission
  std::span<const Completion> completions = {};  // since the last call, in the order of their ends
};

// Submit blocks of a task, from the first that is left.
struct Decision {
  std::size_t task = 0;      // index in View::ready
  std::uint64_t blocks = 0;  // their number; 0: all that are left
  // The processors on which they run, ascending; empty: the whole device.
  std::vector<unsigned> processors = {};
  // Against work of other queues on the same processors, where the device has priorities: above 0 first, below 0 last.
  int priority = 0;
  double predicted_seconds = -1;  // how long it will take; negative: not known. Shown again in RangeView
  // Whether its end has to be known when it happens. Otherwise the dispatcher may learn it from the end of a later
  // range of its queue, if a launch follows there: on GPUs the mark behind a kernel takes a microsecond.
  bool timed = true;
};

struct Figure {
  std::string name;
  double value = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;
  // Appends the submissions to be made now, in order. If it appends none, it is called again when something has
  // changed, or at the time of wake_ns(). A task may occur several times, for successive ranges. Called by one thread
  // at a time.
  virtual void decide(const View& view, std::vector<Decision>& decisions) = 0;
  // A time at which it is to be called even if nothing changes; nothing: no such time.
  virtual std::optional<std::uint64_t> wake_ns(const View&) { return std::nullopt; }
  // Whether it needs the ranges in flight and the completions of the view. They take time to collect.
  virtual bool sees_ranges() const { return false; }
  // Whether decide() appends all that can be submitted now. Then it is called again only when something has changed: a
  // task is ready or has no blocks left, or a range has ended. False: it is called until it appends nothing.
  virtual bool decides_all() const { return false; }
  // The reason for its decision, in one line; for the log.
  virtual std::string explain() const { return {}; }
  // Counts of what it has done, by name, each since it was made.
  virtual std::vector<Figure> figures() const { return {}; }
  // Whether nothing is to be submitted but what it decides, not even what a thread waits for. Then wake_ns() must name
  // a time as long as tasks are ready.
  virtual bool withholds() const { return false; }
  // A range has ended; pointers are valid during the call. Only if sees_ranges() is true.
  virtual void ended(const Completion& completion) { static_cast<void>(completion); }
  // Whether it would decide nothing now although ranges have ended since the last call of decide(). Then that is called
  // after later ends, and sees all of them.
  virtual bool has_enough_in_flight() const { return false; }
  // The launch queue, or the tenant, of that number is gone, and nothing of it is in flight. Numbers are not used
  // again.
  virtual void queue_removed(std::uint32_t queue) { static_cast<void>(queue); }
  virtual void tenant_removed(std::uint32_t tenant) { static_cast<void>(tenant); }
  // So many tasks are held, and so many ranges are in flight. Called after each change.
  virtual void load(std::size_t held, std::size_t in_flight) {
    static_cast<void>(held);
    static_cast<void>(in_flight);
  }
};

}  // namespace heddle::sched
