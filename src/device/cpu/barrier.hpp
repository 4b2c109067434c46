// The sixteen barriers of a block: which threads have arrived, and when a phase is complete. Bookkeeping only; the
// worker switches between warps.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "device/cpu/abi.hpp"

namespace heddle::device::cpu {

// Arrivals are counted by hardware warp (32 consecutive threads), whatever the width of the generated code, because the
// rules for threads that have left speak of warps:
// - a barrier of the whole block is complete when every thread has arrived or left the kernel;
// - a barrier of n threads is complete when the warps that have arrived make up n threads, a warp counting fully when
//   all its threads have arrived or left. Warps that have left without arriving do not count, even if n is the
//   number of threads in the block.
class BarrierSet {
 public:
  static constexpr unsigned barriers = 16;
  static constexpr unsigned warp_threads = 32;
  static constexpr unsigned most_warps = 32;

  // Starts a block of `threads` threads.
  void reset(unsigned threads);

  enum class Outcome : std::uint8_t {
    wait,        // more must arrive
    complete,    // this arrival was the last: result() holds, all waiting threads resume
    bad_number,  // no such barrier
    bad_count,   // not a number of whole warps
    mixed,       // this phase has another count, or one where this arrival has none, or another reduction
  };
  // The `arriving` threads from `thread` on, of one hardware warp, arrive; those of them that have left count with
  // them. `threads` 0: the whole block.
  Outcome arrive(unsigned barrier, unsigned thread, std::uint32_t threads, std::uint32_t arriving, BarrierKind kind,
                 std::uint32_t value) {
    // Nearly always: a barrier of the whole block, of which no thread has left. Kernels with blocks of a few warps
    // spend most of their time here, so that this is inline.
    if (threads == 0 && kind == BarrierKind::sync && left_total_ == 0 && barrier < barriers)
      return arrive_whole(barrier, thread, arriving);
    return arrive_any(barrier, thread, threads, arriving, kind, value);
  }
  // `count` threads have left the kernel, of those that arrive as a group from `thread` on. Returns a bit for each
  // barrier that this makes complete; their results hold.
  std::uint32_t leave(unsigned thread, unsigned count);
  // Result of the phase that has just become complete.
  std::uint32_t result(unsigned barrier) const { return barriers_[barrier].result; }

  // For messages.
  bool active(unsigned barrier) const { return (active_ >> barrier & 1) != 0; }
  std::uint32_t arrived(unsigned barrier) const { return barriers_[barrier].total; }
  std::uint32_t expected(unsigned barrier) const {
    return barriers_[barrier].counted ? barriers_[barrier].expected : threads_;
  }
  bool counted(unsigned barrier) const { return barriers_[barrier].counted; }
  std::uint32_t left() const { return left_total_; }

 private:
  struct Barrier {
    std::uint32_t expected = 0;  // in whole warps
    bool counted = false;        // the instructions of this phase name the number
    std::uint32_t total = 0;     // lanes that have arrived
    std::uint32_t voters = 0, holds = 0;
    std::uint32_t result = 0;
    BarrierKind reduction = BarrierKind::sync;  // sync: none yet in this phase
    std::array<std::uint16_t, most_warps> by_warp{};
    std::array<std::uint32_t, most_warps> lanes{};  // by warp: those that have arrived
  };
  unsigned lanes_of(unsigned warp) const {
    const unsigned rest = threads_ - warp * warp_threads;
    return rest < warp_threads ? rest : warp_threads;
  }
  // Threads of the warp that have arrived or left. One that arrived without waiting and then left is one thread.
  unsigned accounted(const Barrier& barrier, unsigned warp) const {
    return static_cast<unsigned>(std::popcount(barrier.lanes[warp] | left_[warp]));
  }
  Outcome arrive_whole(unsigned number, unsigned thread, std::uint32_t arriving) {
    Barrier& barrier = barriers_[number];
    if (!active(number)) {
      active_ |= 1u << number;
      barrier.expected = warps_ * warp_threads;
    } else if (barrier.counted) {
      return Outcome::mixed;
    }
    barrier.lanes[thread / warp_threads] |= group_of(thread, arriving);
    barrier.total += arriving;
    if (barrier.total < threads_) return Outcome::wait;
    finish(number);
    return Outcome::complete;
  }
  Outcome arrive_any(unsigned number, unsigned thread, std::uint32_t threads, std::uint32_t arriving, BarrierKind kind,
                     std::uint32_t value);
  // The lanes of a warp that `count` threads from `thread` on are.
  static std::uint32_t group_of(unsigned thread, std::uint32_t count) {
    return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << thread % warp_threads);
  }
  bool is_complete(const Barrier& barrier) const;
  void finish(unsigned number);

  std::array<Barrier, barriers> barriers_;
  // By warp, as many lanes of each group as have left: which of them, does not matter, since a group arrives as a
  // whole.
  std::array<std::uint32_t, most_warps> left_{};
  std::uint32_t left_total_ = 0;
  std::uint32_t active_ = 0;  // barriers in the middle of a phase
  unsigned threads_ = 0, warps_ = 0;
};

}  // namespace heddle::device::cpu
