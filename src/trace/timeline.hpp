// The content of a trace file: the commands that devices ran, when, in which queues, and their dependences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/overlap.hpp"
#include "base/trace.hpp"

namespace heddle::trace {

// What a task does to bytes [begin, end) of an array. Arrays have their names in the trace.
struct Use {
  std::string array;
  bool modifies = false;
  std::uint64_t begin = 0, end = 0;
  std::uint64_t copy = 0;  // which of the array's copies: on a device, on the host
};

// One launch, copy, fill or host call.
struct Command {
  base::TraceEvent::Kind kind = base::TraceEvent::Kind::launch;
  base::TraceEvent::Way way = base::TraceEvent::Way::within;  // of a copy
  std::string name;                                           // readable: the kernel, or what the command is
  std::size_t row = 0;                                        // Timeline::rows
  std::uint64_t begin_ns = 0, end_ns = 0;                     // since the first command of the trace began
  std::uint64_t bytes = 0;                                    // of a copy or fill
  std::string grid, block;                                    // of a launch: "4 x 1 x 1"
  std::uint64_t shared = 0;                                   // of a launch: bytes of dynamic shared memory
  std::uint64_t blocks = 0;                                   // of a launch
  bool failed = false;
  std::uint64_t task = 0;             // 0: of no task that has a number
  std::vector<std::uint64_t> behind;  // tasks in flight that it depends on
  std::vector<std::uint64_t> waits;   // those of them whose end its queue waits for by an event
  bool by_streams = false;            // `behind` is the program's own order of streams and events, not of data
  std::vector<Use> uses;
  // Tasks that it depends on by its uses, whether or not the host had waited for them before; `behind` if the trace has
  // no uses. None of them is implied by another.
  std::vector<std::uint64_t> depends;

  bool is_kernel() const { return kind == base::TraceEvent::Kind::launch; }
  bool is_transfer() const { return kind == base::TraceEvent::Kind::copy || kind == base::TraceEvent::Kind::fill; }
};

// A queue of a device.
struct Row {
  std::string device;       // its id
  std::string device_name;  // empty: not known
  std::string queue;        // "queue 3"
};

struct Timeline {
  std::vector<Row> rows;          // by device, queues in the order in which they first ran something
  std::vector<Command> commands;  // in the order in which they begin

  std::uint64_t end_ns() const;  // of the last command
};

// The name of a command's kind for readers: "kernel", "copy to device", "copy to host", "copy between devices", "copy",
// "fill", "host function".
std::string_view name_of(base::TraceEvent::Kind kind, base::TraceEvent::Way way);

// The text of a trace file, as `heddle run --trace` and RuntimeOptions::trace write it; `name` is its name in messages.
// Throws parse_error for text that is no trace.
Timeline parse_timeline(std::string_view text, const std::string& name);
// Throws io_error, parse_error.
Timeline read_timeline(const std::filesystem::path& file);

// Commands that run at some time within [begin, end) of the timeline, nanoseconds from its begin; their times do not
// change.
Timeline part_of(const Timeline& timeline, std::uint64_t begin_ns, std::uint64_t end_ns);

// Kernels and transfers, for base::overlap. Host functions are neither.
std::vector<base::Interval> intervals(const Timeline& timeline);

// The names of arrays for which `child` depends on `parent`: those that both use, one of them modifying, where their
// bytes overlap. Empty if that is not known.
std::vector<std::string> arrays_between(const Command& parent, const Command& child);

}  // namespace heddle::trace
