// The effects of one instruction of a warp, for a scheduler or a model of time. Plain storage of fixed size, made once
// and reused for every instruction.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "device/machine/code.hpp"

namespace heddle::device::machine {

// Bit i: lane i of a warp.
using LaneMask = std::uint32_t;
constexpr unsigned warp_size = 32;

enum class AccessKind : std::uint8_t { load, store, atomic };

// The bytes that one lane has accessed with one instruction. A vector is one access.
struct MemoryAccess {
  // Offset in the block's shared memory, the thread's local memory or the kernel's parameters; in other spaces the
  // address in a model of memory (ModelAddresses).
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  ptx::Space space = ptx::Space::global;  // resolved: never generic
  AccessKind kind = AccessKind::load;
  std::uint8_t lane = 0;
};

// The operands of a barrier instruction of a thread.
struct BarrierUse {
  std::uint32_t id = 0;
  std::uint32_t threads = 0;  // 0: all of the block
  bool waits = true;          // false: bar.arrive
  bool predicate = false;     // of bar.red
};

struct Effects {
  // The executed operation; null at the end of a function's text, which is a return.
  const Operation* operation = nullptr;
  LaneMask ran = 0;       // lanes whose guard is true; the others have advanced
  LaneMask waiting = 0;   // of these: wait at a barrier or a warp operation until the scheduler lets them continue
  LaneMask branched = 0;  // have jumped
  LaneMask called = 0, returned = 0;
  LaneMask exited = 0;
  bool yields = false;  // nanosleep

  std::array<std::uint32_t, warp_size> target;  // of lanes that branched: the index of the instruction
  std::array<BarrierUse, warp_size> barrier;    // of lanes that wait at a barrier
  std::array<LaneMask, warp_size> members;      // of lanes that wait at a .sync operation: its mask
  std::span<const MemoryAccess> accesses() const { return {accesses_.data(), access_count_}; }

  void begin(const Operation* executed) {
    operation = executed;
    ran = waiting = branched = called = returned = exited = 0;
    yields = false;
    access_count_ = 0;
  }
  void add(const MemoryAccess& access) { accesses_[access_count_++] = access; }
  // Instead of lane by lane: the first accesses of all lanes, then the second ones.
  void order_by_turn();

 private:
  static constexpr unsigned most_of_a_lane = 16;  // texels; cp.async reads and writes
  std::array<MemoryAccess, most_of_a_lane * warp_size> accesses_;
  unsigned access_count_ = 0;
};

}  // namespace heddle::device::machine
