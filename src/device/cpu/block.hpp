// A resident block: its warps as fibers, its barriers and its shared memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/abi.hpp"
#include "device/cpu/barrier.hpp"
#include "device/cpu/checker/block_clock.hpp"
#include "device/cpu/fiber.hpp"
#include "device/cpu/fiber_set.hpp"

namespace heddle::device::cpu {

class Worker;
class LaunchJob;
struct Block;

// What a warp waits for.
enum class Waiting : std::uint8_t { nothing, barrier, meeting };

// One fiber: a warp, or in the narrower shapes a part of one. Generated code sees the context, which comes first.
struct Warp {
  WarpContext context{};
  Block* block = nullptr;
  Fiber fiber;
  unsigned index = 0;   // within the block
  unsigned exited = 0;  // lanes that left before the rest
  bool begun = false, finished = true;
  Waiting waiting = Waiting::nothing;
  std::uint8_t barrier = 0;    // when waiting for one
  std::uint32_t result = 0;    // of the barrier or meeting that ended
  unsigned turns = 0;          // of a spin loop taken without switching
  const void* site = nullptr;  // return address of the last runtime call, for messages
};

// A window of memory with inaccessible pages on both sides.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  // Makes room for `bytes`; content is undefined. False when the system gives no memory.
  bool reserve(std::size_t bytes);
  std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

// Lanes of one warp that meet for a warp operation (one-lane shape).
struct Meeting {
  std::uint32_t members = 0, arrived = 0;
  BlockClock::Arrival first;  // for the checker
  std::array<std::uint64_t, 32> values{};
  std::array<std::uint64_t*, 32> outputs{};
};

// Lanes of one warp at one place that asks which lanes are there (one-lane shape).
struct Gathering {
  const void* site = nullptr;  // return address of the call
  std::uint32_t line = 0;      // of the PTX
  unsigned warp = 0;
  std::uint32_t arrived = 0;
  unsigned rounds = 0;    // in which only lanes in loops that may be waiting were missing
  bool is_first = false;  // of its warp's, by line
};

// Generated code sees the context, which comes first.
struct Block {
  BlockContext context{};
  Worker* worker = nullptr;
  LaunchJob* job = nullptr;  // null: not resident
  std::uint64_t id = 0;      // linear, in the whole grid

  // Fiber shape only.
  std::unique_ptr<Warp[]> warps;
  unsigned warp_count = 0, words = 0;
  std::size_t stack_size = 0;  // as StackPool::rounded
  unsigned live = 0;           // warps that have not finished
  unsigned last = 0;           // the warp that ran last: the ring continues after it
  FiberSet ready, spinning;
  std::array<FiberSet, BarrierSet::barriers> waiting;
  BarrierSet barriers;
  std::vector<std::vector<Meeting>> meetings;  // by hardware warp; one-lane shape only
  std::vector<Gathering> gatherings;           // the same
  GuardedBuffer shared;
  // Shape of phases: what warps that wait go on with, and their local memory; by warp, WarpContext::line of the barrier
  // that it waits at, 0: of none.
  GuardedBuffer frames;
  std::vector<std::uint32_t> barrier_lines;
  std::unique_ptr<BlockClock> clock;  // of launches with a LaunchChecker
  // Of launches whose accesses are checked: what is known of them, and of which launch.
  std::unique_ptr<KnownRanges> known_ranges;
  std::uint64_t known_of = 0;

  // Makes what is known that of a launch; of another one, nothing is.
  void know_ranges_of(std::uint64_t launch, const std::uint64_t* releases) {
    if (!known_ranges) known_ranges = std::make_unique<KnownRanges>();
    context.known_ranges = known_ranges.get();
    if (known_of == launch) return;
    known_of = launch;
    *known_ranges = {releases, 0, {}, {}};
  }

  BlockClock& checked_clock() {
    if (!clock) clock = std::make_unique<BlockClock>();
    return *clock;
  }

  // Takes the threads waiting at `barrier` to the ready ones, with the phase's result.
  void release(unsigned barrier) {
    const std::uint32_t result = barriers.result(barrier);
    waiting[barrier].for_each(words, [&](unsigned i) {
      warps[i].result = result;
      warps[i].waiting = Waiting::nothing;
    });
    ready.take(waiting[barrier], words);
  }
};

inline Warp& warp_of(WarpContext* context) { return *reinterpret_cast<Warp*>(context); }

}  // namespace heddle::device::cpu
