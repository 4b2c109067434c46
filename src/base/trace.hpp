// The trace: one stream of events, the start and the end of every launch, copy, fill and host call of every device.
// Timelines, metrics and histories are made from it.
#pragma once

#include <cstdint>
#include <string_view>

#include "heddle/dim3.hpp"

namespace heddle::base {

struct TraceEvent {
  enum class Kind : std::uint8_t { launch, copy, fill, call };
  enum class Phase : std::uint8_t { start, end };
  // The memories between which a copy goes. `within`: within one device's memory, or within the host's.
  enum class Way : std::uint8_t { within, to_device, to_host, between_devices };

  Kind kind = Kind::launch;
  Phase phase = Phase::start;
  Way way = Way::within;
  bool failed = false;        // at the end: the command failed, or was skipped after a failure
  std::uint64_t command = 0;  // the same number at start and end; unique within the device
  std::uint64_t time_ns = 0;  // on the device's clock
  std::string_view device;    // DeviceInfo::id; valid during the call
  std::uint64_t queue = 0;    // unique within the device
  std::string_view name;      // the kernel; empty for others; valid during the call
  std::uint64_t task = 0;     // TraceSink::task() when the command was put into its queue
  std::uint64_t bytes = 0;    // of a copy or fill
  BlockRange blocks;          // of a launch
  Dim3 grid, block;           // of a launch
  std::uint32_t shared = 0;   // of a launch: bytes of dynamic shared memory
};

inline std::string_view name(TraceEvent::Kind kind) {
  constexpr std::string_view names[] = {"launch", "copy", "fill", "call"};
  return names[static_cast<unsigned>(kind)];
}

// Receives events. Devices hold a plain pointer, which is null if there is no trace. So tracing costs one test then.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  // Called for every command, from any thread, concurrently. Must be quick and must not throw.
  virtual void event(const TraceEvent& event) noexcept = 0;
  // The number of the task for which the calling thread is putting commands into queues; 0: none. Devices call this
  // when a command is put in, and store the number in the command's events. So the events can be assigned to tasks.
  virtual std::uint64_t task() const noexcept { return 0; }
};

}  // namespace heddle::base
