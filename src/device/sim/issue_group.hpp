// What an SM issues as one instruction: some threads that are at the same place.
#pragma once

#include <cstdint>

#include "device/machine/block.hpp"
#include "device/sim/memory/access.hpp"

namespace heddle::device::sim {

using machine::LaneMask;

// A place in a program. Depth: of calls; 1 is the kernel.
struct Place {
  const machine::Code* code = nullptr;  // null: nowhere
  std::uint32_t pc = 0, depth = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

inline Place place_of(const machine::Thread& thread) {
  return {thread.frame().code, thread.pc(), static_cast<std::uint32_t>(thread.frames.size())};
}

// Why a group cannot issue.
enum class Wait : std::uint8_t {
  none,
  start,    // its block has not begun
  result,   // a result of another pipe than memory's
  memory,   // a result or the end of a memory access
  control,  // the branch before it
  barrier,  // others, at a barrier or a warp operation
  end,      // nothing: its threads have exited
};

struct BlockContext;
struct OpTiming;

// Each lane has a thread of its own: registers, addresses, special registers and results are those of that thread. The
// groups of a static warp never have others than its threads; policies that form warps anew put others there (Dynamic
// Warp Formation, section 2.0).
struct IssueGroup {
  const machine::LaneThreads* threads = nullptr;  // by lane; null: an empty lane
  LaneMask mask = 0;                              // lanes that issue; 0: the group waits for others
  std::uint32_t warp = 0;                         // of the block: whose scheduler and scoreboard it uses
  Place at;
  std::uint64_t age = 0;    // the order in which the groups of the SM were made
  Cycle held_until = 0;     // the policy has chosen it then
  bool formed = false;      // of threads of any warps: its lanes are those of the SIMD unit
  std::uint8_t passes = 1;  // turns of its scheduler that it takes
  // Threads of the warps that the machine forms. Narrower ones occupy their scheduler and pipes for less time.
  std::uint8_t width = machine::warp_size;
  // The SM's, from here on.
  Wait wait = Wait::none;      // what `ready` is waiting for
  std::uint8_t scheduler = 0;  // that has issued it last; of warps of 64 threads: 0
  std::uint32_t place = ~0u;   // in its pool
  std::uint32_t slot = 0;      // number of the warp on its SM
  BlockContext* block = nullptr;
  Cycle not_before = 0;          // cycle in which the branch, barrier or start before it is done
  const OpTiming* op = nullptr;  // at its place
  Cycle ready = 0;               // cycle from which it can issue, as far as is known
};

}  // namespace heddle::device::sim
