// The pool of warps that threads of the same place form at write-back (Dynamic Warp Formation, section 2.5): the table
// of places, the entries, the allocator and the queue for what finds the pool full (section 2.8).
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "device/sim/policies/formation/formed_warp.hpp"
#include "device/sim/policies/formation/pc_warp_lut.hpp"
#include "device/sim/policy_counts.hpp"

namespace heddle::device::sim {

// Section 2.6: which lanes a thread may use.
enum class RegisterFile : std::uint8_t {
  lane_aware,  // its home lane: each lane has a decoder of its own
  crossbar,    // any lane; threads of one home lane are read one after the other
  ideal        // any lane
};

class WarpPool {
 public:
  struct Limits {
    unsigned warps = 128, lut_entries = 64, lut_ways = 4;
    RegisterFile registers = RegisterFile::lane_aware;
    // Lanes that read registers at a time. Where a warp is wider it issues in turns, in each of which a lane reads one
    // thread's: so many threads of the warp may have the same home (section 2.6, granularity). Divides the warp's size.
    unsigned home_lanes = machine::warp_size;
    unsigned width = machine::warp_size;  // of warps
  };
  // What an insertion did to a warp of the pool.
  struct Touched {
    FormedWarp* warp;
    unsigned threads;  // that were added
    bool formed;       // the warp is new
  };

  // `counts` outlives it.
  WarpPool(const Limits& limits, PolicyCounts& counts);
  ~WarpPool();
  WarpPool(const WarpPool&) = delete;
  WarpPool& operator=(const WarpPool&) = delete;

  // Threads of one place, by home lane. Returns which warps have them now; none where the pool is full, or where others
  // wait in the queue already.
  std::span<const Touched> insert(const Place& place, const machine::LaneThreads& threads, LaneMask lanes);
  // The warp issues: its entry is free, and no thread joins it any more. It stays where it is until recycle().
  void take(FormedWarp& warp);
  void recycle(FormedWarp& warp) { spare_.push_back(&warp); }
  // A warp that is in no entry, for threads on their way.
  FormedWarp& fresh();
  // Where the pool is empty: takes what waits in the queue. To be called until it returns an empty list.
  std::span<const Touched> refill();

  // The warps in the pool, in no order.
  std::span<FormedWarp* const> warps() const { return warps_; }
  bool empty() const { return warps_.empty(); }
  // Calls f(threads, lanes) for the warps of the pool, those that have issued, and what waits in the queue.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& warp : storage_)
      if (warp->mask != 0) f(warp->lanes, warp->mask);
    for (const Queued& queued : queue_) f(queued.threads, queued.lanes);
  }
  unsigned queued() const { return static_cast<unsigned>(queue_.size()); }

 private:
  struct Queued {
    Place place;
    machine::LaneThreads threads;
    LaneMask lanes;
  };
  FormedWarp* form(const Place& place);
  bool add(FormedWarp& warp, const machine::LaneThreads& threads, LaneMask& lanes);
  unsigned lane_for(const FormedWarp& warp, unsigned home) const;

  const Limits limits_;
  PolicyCounts& counts_;
  PcWarpLut lut_;
  std::vector<std::unique_ptr<FormedWarp>> storage_;
  std::vector<FormedWarp*> spare_, warps_;
  std::vector<FormedWarp*> entries_;  // by index; null: free
  std::vector<std::uint32_t> free_;
  std::deque<Queued> queue_;
  std::vector<Touched> touched_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace heddle::device::sim
