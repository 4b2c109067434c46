// What a simulated SM, and the whole machine, counted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device/sim/kernel_timing.hpp"
#include "device/sim/memory/counters.hpp"
#include "device/sim/policy_counts.hpp"

namespace heddle::device::sim {

// What a scheduler did in a cycle (Virtual Thread, section 2.10). Each cycle of each scheduler has exactly one.
enum class SlotUse : std::uint8_t {
  issue,     // it issued, or still issues the rest of a warp
  pipeline,  // a group could issue, but its pipe or the load/store unit takes nothing
  memory,    // all of its groups wait for memory
  result,    // they wait for results, or some for them and some for memory
  control,   // for branches, the start of blocks or their warps' turn
  barrier,   // for other threads
  idle,      // no block is there
};
constexpr unsigned slot_uses = 7;
const char* name(SlotUse use);

// Active lanes of a slot: idle, waiting for memory, waiting for anything else, then 1-4, 5-8, ... 29-32 lanes (Dynamic
// Warp Formation, section 2.0).
constexpr unsigned lane_buckets = 11;
const char* lane_bucket_name(unsigned bucket);

// How operands were read; zero where the machine has no banks.
struct OperandCounts {
  std::uint64_t reads = 0;        // of banks, each a word of all threads of a warp
  std::uint64_t reused = 0;       // of the cache of operands
  std::uint64_t late_cycles = 0;  // for which instructions waited for operands beyond their window
  bool operator==(const OperandCounts&) const = default;
};

struct SmStatistics {
  std::uint64_t cycles = 0;                               // of the SM, while a kernel was on the machine
  std::uint64_t slots = 0;                                // of its schedulers: cycles times schedulers
  std::uint64_t warp_instructions = 0;                    // issued groups
  std::uint64_t thread_instructions = 0;                  // their lanes
  std::uint64_t issue_slots = 0;                          // slots that issued: less than groups where several share one
  std::uint64_t slot_lanes = 0;                           // lanes of these slots: as many as the machine's warps have
  std::uint64_t resident_warp_cycles = 0;                 // warps on the SM, added up over all cycles
  std::uint64_t blocks = 0;                               // that ended here
  std::array<std::uint64_t, slot_uses> uses{};            // slots by use; their sum is `slots`
  std::array<std::uint64_t, lane_buckets> lanes{};        // the same slots by active lanes; the same sum
  std::array<std::uint64_t, 32> lane_uses{};              // issues by lane of the SIMD unit
  std::array<std::uint64_t, pipe_classes> pipe_cycles{};  // for which pipes were occupied
  std::array<std::uint64_t, pipe_classes> pipe_counts{};  // pipes there are
  OperandCounts operands;
  PolicyCounts policy;
  SmStatistics& operator+=(const SmStatistics& other);
  SmStatistics& operator-=(const SmStatistics& other);  // of an earlier time
  bool operator==(const SmStatistics&) const = default;
};

// Where a launch was asked to be sampled (docs/simulator.md): what of it was simulated, and its cycles by estimate.
struct SampleFigures {
  std::uint64_t waves = 0;                  // that were simulated; 0: all blocks were
  std::uint64_t blocks = 0, of_blocks = 0;  // that were simulated, and all
  Cycle cycles = 0, low = 0, high = 0;      // of the whole launch: the estimate and its interval of 95 %
  std::string refusal;                      // why all blocks were simulated though it was asked for
  bool estimated() const { return waves != 0; }
};

// Of one launch: from its start to its end, with what other launches did meanwhile.
struct KernelStatistics {
  Cycle start = 0, end = 0;  // cycles of the machine
  unsigned sms = 0, warps_per_sm = 0;
  SmStatistics sm;                  // of all SMs together
  std::vector<SmStatistics> by_sm;  // of each; empty where nobody watches the machine
  MemoryCounters memory;            // since the machine was idle last; zero where memory is ideal
  SampleFigures sample;
  // That were simulated. Of a sampled launch the counts are those of the blocks that were simulated.
  Cycle cycles() const { return end - start; }
  // Thread instructions a cycle, of the whole machine.
  double ipc() const;
  // Active lanes of issued slots (Dynamic Warp Formation, section 2.0).
  double simd_efficiency() const;
  // Warps on an SM over those that it can hold.
  double occupancy() const;
};

}  // namespace heddle::device::sim
