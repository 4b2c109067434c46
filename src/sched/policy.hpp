// What decides when held tasks are submitted, in which ranges of blocks, and on which processors (managed mode).
//
// A policy is a function of what it is shown. It owns no thread, clock or device: it is asked whenever something has
// changed, and answers with decisions. docs/policies.md shows a whole one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/dim3.hpp"

namespace heddle::sched {

// A launch queue as policies see it: the tasks of one stream or tenant, in order.
struct QueueView {
  std::uint32_t id = 0;
  std::string_view name;
  int priority = 0;  // higher is more urgent
  bool suspended = false;
};

// A task that may be submitted now: all that it depends on has been submitted.
struct TaskView {
  std::uint64_t id = 0;  // in the order in which tasks were made
  std::string_view name;
  const QueueView* queue = nullptr;
  std::size_t place = 0;     // the number of its device
  BlockRange left;           // blocks that are not submitted; [0, 1) of work that is not a launch
  std::uint64_t blocks = 1;  // of the whole task
  bool divisible = false;    // may be submitted in ranges of blocks; else as a whole
  bool required = false;     // the host, or a queue that is not suspended, waits for it
  // How long a block has taken, divided by how many run at once, as far as is known; 0: not known.
  double seconds_per_block = 0;
};

// What is in flight on a device through the scheduler.
struct DeviceView {
  unsigned processors = 1;
  std::uint32_t ranges = 0;          // submitted and not known to be done
  double predicted_seconds = 0;      // of them, as far as is known
  std::uint32_t unknown_ranges = 0;  // of them, those of which nothing is known
};

struct View {
  std::uint64_t now_ns = 0;             // the runtime's clock
  std::span<const TaskView> ready;      // in the order in which they were made
  std::span<const DeviceView> devices;  // by place
};

// Submits blocks of a task, from the first that is left.
struct Decision {
  std::size_t task = 0;      // its place in View::ready
  std::uint64_t blocks = 0;  // how many; 0: all that are left
  // To run on these processors only, ascending; empty: the whole device.
  std::vector<unsigned> processors = {};
};

class Policy {
 public:
  virtual ~Policy() = default;
  // Appends what is to be submitted now, in order; nothing: until something changes, or the time of wake_ns(). A task
  // may be named several times, for ranges one after the other. Called by one thread at a time.
  virtual void decide(const View& view, std::vector<Decision>& decisions) = 0;
  // A time at which it wants to be asked again even if nothing changes; nothing: none.
  virtual std::optional<std::uint64_t> wake_ns(const View&) { return std::nullopt; }
  // Why it decided so, in one line; for the log.
  virtual std::string explain() const { return {}; }
};

}  // namespace heddle::sched
