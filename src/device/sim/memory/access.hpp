// What a warp asks of the memory of its SM, and what it is answered.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace heddle::device::sim {

using Cycle = std::uint64_t;  // of the SM's clock, from the start of the simulation
constexpr Cycle never = std::numeric_limits<Cycle>::max();

enum class MemorySpace : std::uint8_t {
  global,
  local,     // addresses as local_address() makes them
  shared,    // addresses are offsets in the SM's shared memory
  constant,  // also kernel parameters
};
enum class MemoryOperation : std::uint8_t {
  load,
  store,
  atomic,     // the threads get the old values
  reduction,  // an atomic operation without a result
};

// One memory instruction of an issue group. Lanes are those of the group: each has the address of its own thread.
struct WarpAccess {
  MemorySpace space = MemorySpace::global;
  MemoryOperation operation = MemoryOperation::load;
  bool bypass_l1 = false;                 // a load past the L1: ld.cg, ld.cv, ld.volatile
  std::uint8_t bytes = 4;                 // of a lane: 1, 2, 4, 8 or 16
  std::uint8_t scheduler = 0;             // that has issued it, and issues its replays
  std::uint32_t mask = 0;                 // bit i: lane i takes part
  std::array<std::uint64_t, 32> address;  // of the lanes in the mask
};

constexpr unsigned most_schedulers = 16;  // of an SM

// The caller's name for an access, which comes back with its completion.
using AccessTag = std::uint32_t;

// Why the load/store unit takes no access, or cannot go on with those that it has.
enum class MemoryStall : std::uint8_t {
  none,
  busy,          // its ports: transactions of earlier accesses, bank conflicts
  mshrs_full,    // every MSHR waits for data
  merges_full,   // as many accesses as may wait for one line do
  set_reserved,  // every way of the line's set waits for data
  stores_full,   // the L2 has not accepted earlier stores
};
constexpr unsigned memory_stalls = 6;
const char* name(MemoryStall stall);

// The answer to an access.
struct Admission {
  MemoryStall stall = MemoryStall::none;  // otherwise refused
  // Accepted: the cycle from which the result can be used, where it is known already: then no completion follows.
  // `never`: a completion with the access's tag will.
  // Refused: the first cycle in which another try can succeed; `never`: not before next_event().
  Cycle ready = never;
  bool accepted() const { return stall == MemoryStall::none; }
};

// An access has all of its data; of a store: the L2 has accepted all of it, as fences and the end of a kernel need.
struct Completion {
  AccessTag tag = 0;
  Cycle ready = 0;  // later than the cycle of the call that reported it, or the same
};

// The address of a thread's local memory as the memory system sees it: consecutive words of a warp's threads lie side
// by side, so that an access of all threads at one offset is coalesced. `warp` counts the warps of the whole device.
constexpr std::uint64_t local_window = std::uint64_t{1} << 46;  // above all addresses of global memory
constexpr std::uint64_t local_address(std::uint64_t warp, unsigned lane, std::uint64_t offset,
                                      std::uint64_t bytes_of_a_thread) {
  const std::uint64_t words = (bytes_of_a_thread + 3) / 4;
  return local_window + (warp * words + offset / 4) * 128 + lane * 4 + offset % 4;
}

}  // namespace heddle::device::sim
