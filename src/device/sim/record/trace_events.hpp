// Events of warps for a timeline in the form of Chrome's and Perfetto's traces; bounded in time and number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/sim/record/line_counts.hpp"

namespace heddle::device::sim {

struct TraceEvent {
  enum class Kind : std::uint8_t {
    issue,  // an instruction; `detail` is its pipe
    wait,   // `detail` is a WarpUse
    exit,   // the warp's block has left the SM
  };
  Cycle begin = 0;
  std::uint32_t cycles = 0;
  std::uint32_t warp = 0;  // slot on its SM
  const machine::Code* code = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t lanes = 0;  // mask
  Kind kind = Kind::issue;
  std::uint8_t detail = 0;
};

// Of one SM. The oldest events are kept.
class TraceEvents {
 public:
  // Events that begin in [begin, begin + cycles), at most `most`. Forgets all others.
  void open(Cycle begin, Cycle cycles, std::size_t most);
  void close() { end_ = 0; }
  bool wants(Cycle cycle) const { return cycle < end_; }
  void add(const TraceEvent& event);
  const std::vector<TraceEvent>& events() const { return events_; }
  // Whether there were more than `most`.
  bool cut() const { return cut_; }

 private:
  Cycle end_ = 0;
  std::size_t most_ = 0;
  bool cut_ = false;
  std::vector<TraceEvent> events_;
};

// The events of an SM as JSON objects, each followed by a comma and a line end. Times are microseconds that stand for
// cycles since `begin`. `launch` is the number of the process in the trace that stands for the launch's SM.
std::string trace_json(const TraceEvents& events, const ptx::Module& module, Cycle begin, std::uint64_t process,
                       const std::string& process_name);

}  // namespace heddle::device::sim
