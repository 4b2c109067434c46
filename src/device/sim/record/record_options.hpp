// Which files a simulated device writes about its launches.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::device::sim {

struct RecordOptions {
  std::string report, trace;            // files; empty: none. "%p" becomes the number of the process
  std::uint64_t trace_cycles = 20'000;  // of each launch, from its first block on
  unsigned trace_launches = 4;          // the first ones
  bool any() const { return !report.empty() || !trace.empty(); }
};

}  // namespace heddle::device::sim
