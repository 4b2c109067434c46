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

// Whether the files can be written, and replace nothing of the user's, before a device is made. Throws as the device.
void check_records(const RecordOptions& options);

}  // namespace heddle::device::sim
