// What orders the accesses of the threads of one resident block. Times are those of the launch: an access at time t
// comes before one of another thread if something after t has ordered the two threads. Warps are kept apart, and within
// a warp its lanes. Fences with flags are taken for ordering wherever they may be meant: a warp that has used a fence
// after t comes before every warp that has read with an atomic or volatile access since.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device/cpu/barrier.hpp"
#include "device/cpu/checker/shadow.hpp"

namespace heddle::device::cpu {

class BlockClock {
 public:
  static constexpr unsigned warp_threads = BarrierSet::warp_threads, most_warps = BarrierSet::most_warps;
  using Time = std::uint32_t;

  // Starts a block; `shared_bytes` of its shared memory are not written yet.
  void start(std::uint64_t launch, std::uint64_t block, std::uint32_t threads, std::uint32_t shared_bytes, Time now,
             bool knows_written);
  bool is_of(std::uint64_t launch, std::uint64_t block) const { return launch_ == launch && block_ == block; }
  std::uint64_t block() const { return block_; }
  std::uint32_t threads() const { return threads_; }

  // Whether the access of `thread` at `time` comes before what `by`, another thread of the block, does now.
  bool is_before(std::uint32_t thread, Time time, std::uint32_t by) const {
    if (time < all_) return true;
    const unsigned first = thread / warp_threads, second = by / warp_threads;
    if (first == second) {
      if (time < warps_[first].all) return true;
      const LaneTimes* const lanes = warps_[first].lanes.get();
      if (lanes != nullptr && time < (*lanes)[by % warp_threads][thread % warp_threads]) return true;
    } else if (time < warps_[second].after[first]) {
      return true;
    }
    return warps_[first].released > time && warps_[second].acquired > time;
  }

  // Most accesses are ordered by these times alone: of the last barrier of the block, or of all lanes of a warp.
  Time block_met() const { return all_; }
  Time warp_met(unsigned warp) const { return warps_[warp].all; }
  // Nothing else has ordered accesses of this block's threads.
  bool is_plain() const { return is_plain_; }
  // All threads have come to the same instruction at each barrier.
  bool is_aligned() const { return is_aligned_; }
  void note_misaligned() { is_aligned_ = false; }

  // Events, at a time that is later than all accesses before it.
  void all_met(Time now) { all_ = now; }
  // The lanes of a mask have waited for each other.
  void lanes_met(unsigned warp, std::uint32_t lanes, Time now);
  // A barrier that names a number of threads: a warp arrives, and waits or does not; then the warps that arrived and
  // waited come after all that arrived.
  void arrive(unsigned barrier, unsigned warp, bool waits, Time now);
  void complete(unsigned barrier, Time now);
  bool is_counted(unsigned barrier) const { return barriers_[barrier].arrived != 0; }
  void release(unsigned warp, Time now) {
    warps_[warp].released = now;
    is_plain_ = false;
  }
  void acquire(unsigned warp, Time now) { warps_[warp].acquired = now; }

  // Shared memory, by offsets.
  std::uint32_t stamp() const { return stamp_; }
  AccessCells& cells() { return *cells_; }
  WrittenBytes& written() { return *written_; }

  // Who has come to a barrier of the block in this phase: the first, by its instruction.
  struct Arrival {
    std::uint32_t line = 0, thread = 0;
  };
  // Of a barrier that names a number of threads, before arrive(): where the first lanes of the warp in this phase are,
  // if they are others than `lanes`, which arrive now.
  std::optional<Arrival> others_of_warp(unsigned barrier, unsigned warp, std::uint32_t lanes, const Arrival& now);
  std::array<Arrival, BarrierSet::barriers> first_arrivals{};

  // Lanes of a warp that wait for others of their member mask, where lanes run in step and do not really wait.
  struct Gathering {
    std::uint32_t members = 0, arrived = 0, line = 0, thread = 0;
    bool is_barrier = false;
    std::uint32_t named = 0;  // of a barrier: OrderKind::aligned_barrier
  };
  std::vector<Gathering>& gatherings(unsigned warp) {
    has_gatherings_ = true;
    return warps_[warp].gatherings;
  }
  // Lanes of the warp have come to different operations. Which of them wait for which is not known until all meet
  // again.
  bool& is_divergent(unsigned warp) { return warps_[warp].is_divergent; }
  // Whether anybody has asked for them.
  bool has_gatherings() const { return has_gatherings_; }
  // A lane has ended the block with a fault: that others have not come yet means nothing.
  void forget_gatherings();
  // Warps that have read with an access that may be an acquire; it counts from the next access on, when it is done.
  std::uint32_t pending_acquires = 0;

 private:
  void forget();

  using LaneTimes = std::array<std::array<Time, warp_threads>, warp_threads>;  // [later][earlier]
  struct Warp {
    Time all = 0;                          // all of its lanes have met
    std::array<Time, most_warps> after{};  // what other warps did before that comes before this one
    Time released = 0, acquired = 0;
    std::unique_ptr<LaneTimes> lanes;  // where parts of the warp have met
    std::vector<Gathering> gatherings;
    bool is_divergent = false;
  };
  struct Barrier {
    std::uint32_t arrived = 0, waiting = 0;  // warps
    std::array<Time, most_warps> times{};
    std::array<Arrival, most_warps> first{};        // by warp that has arrived
    std::array<std::uint32_t, most_warps> lanes{};  // likewise
  };

  std::uint64_t launch_ = 0, block_ = 0;
  std::uint32_t threads_ = 0, stamp_ = 0;
  Time all_ = 0;
  bool is_plain_ = true, is_aligned_ = true, has_gatherings_ = false;
  std::array<Warp, most_warps> warps_;
  std::array<Barrier, BarrierSet::barriers> barriers_;
  std::uint32_t shared_bytes_ = 0;
  std::unique_ptr<AccessCells> cells_;
  std::unique_ptr<WrittenBytes> written_;
};

}  // namespace heddle::device::cpu
