// The sixteen barriers of a block: which threads have arrived, and when a phase is complete. Bookkeeping only; the
// worker switches between warps.
#pragma once

#include <array>
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
  // `arriving` lanes of the hardware warp of thread `thread` arrive. `threads` 0: the whole block.
  Outcome arrive(unsigned barrier, unsigned thread, std::uint32_t threads, std::uint32_t arriving, BarrierKind kind,
                 std::uint32_t value);
  // `count` lanes of the warp of thread `thread` have left the kernel. Returns a bit for each barrier that this makes
  // complete; their results hold.
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
  };
  unsigned lanes_of(unsigned warp) const {
    const unsigned rest = threads_ - warp * warp_threads;
    return rest < warp_threads ? rest : warp_threads;
  }
  bool is_complete(const Barrier& barrier) const;
  void finish(unsigned number);

  std::array<Barrier, barriers> barriers_;
  std::array<std::uint16_t, most_warps> left_{};
  std::uint32_t left_total_ = 0;
  std::uint32_t active_ = 0;  // barriers in the middle of a phase
  unsigned threads_ = 0, warps_ = 0;
};

}  // namespace heddle::device::cpu
