#include "device/sim/policies/formation/warp_pool.hpp"

#include <algorithm>
#include <bit>

namespace heddle::device::sim {

WarpPool::WarpPool(const Limits& limits, PolicyCounts& counts)
    : limits_(limits), counts_(counts), lut_(limits.lut_entries, limits.lut_ways), entries_(limits.warps) {
  for (std::uint32_t i = limits.warps; i-- > 0;) free_.push_back(i);
}

WarpPool::~WarpPool() = default;

FormedWarp& WarpPool::fresh() {
  if (spare_.empty()) {
    storage_.push_back(std::make_unique<FormedWarp>());
    spare_.push_back(storage_.back().get());
  }
  FormedWarp& warp = *spare_.back();
  spare_.pop_back();
  warp = {};
  warp.threads = &warp.lanes;
  warp.formed = true;
  warp.width = static_cast<std::uint8_t>(limits_.width);
  return warp;
}

FormedWarp* WarpPool::form(const Place& place) {
  if (free_.empty()) return nullptr;
  FormedWarp& warp = fresh();
  warp.index = free_.back();
  free_.pop_back();
  warp.at = place;
  warp.arrival = arrivals_++;
  entries_[warp.index] = &warp;
  warps_.push_back(&warp);
  if (lut_.set(place, warp.index)) ++counts_[PolicyEvent::lut_evictions];
  return &warp;
}

// The lane in which a thread of this home joins the warp; the width: it has none for it.
unsigned WarpPool::lane_for(const FormedWarp& warp, unsigned home) const {
  if (((warp.mask >> home) & 1) == 0) return home;
  const unsigned step = limits_.registers == RegisterFile::lane_aware ? limits_.home_lanes : 1;
  for (unsigned lane = home % step; lane < limits_.width; lane += step)
    if (((warp.mask >> lane) & 1) == 0) return lane;
  return limits_.width;
}

// Puts into the warp those of the threads for which it has a lane, and takes these out of `lanes`. Returns whether
// there were any.
bool WarpPool::add(FormedWarp& warp, const machine::LaneThreads& threads, LaneMask& lanes) {
  const LaneMask before = lanes;
  for (LaneMask rest = before; rest != 0; rest &= rest - 1) {
    const auto home = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned lane = lane_for(warp, home);
    if (lane == limits_.width) continue;
    warp.lanes[lane] = threads[home];
    warp.mask |= LaneMask{1} << lane;
    lanes &= ~(LaneMask{1} << home);
  }
  return lanes != before;
}

std::span<const WarpPool::Touched> WarpPool::insert(const Place& place, const machine::LaneThreads& threads,
                                                    LaneMask lanes) {
  touched_.clear();
  ++counts_[PolicyEvent::insertions];
  const std::uint32_t found = queue_.empty() ? lut_.find(place) : PcWarpLut::no_warp;
  const LaneMask all = lanes;
  if (found != PcWarpLut::no_warp && add(*entries_[found], threads, lanes)) {
    const auto joined = static_cast<unsigned>(std::popcount(all & ~lanes));
    touched_.push_back({entries_[found], joined, false});
    counts_[PolicyEvent::merged] += joined;
  }
  if (found != PcWarpLut::no_warp) counts_[PolicyEvent::lane_conflicts] += static_cast<unsigned>(std::popcount(lanes));
  if (lanes == 0) return touched_;
  FormedWarp* const warp = queue_.empty() ? form(place) : nullptr;
  if (!warp) {
    queue_.push_back({place, threads, lanes});
    ++counts_[PolicyEvent::spilled];
    return touched_;
  }
  const LaneMask rest = lanes;
  add(*warp, threads, lanes);
  touched_.push_back({warp, static_cast<unsigned>(std::popcount(rest)), true});
  return touched_;
}

void WarpPool::take(FormedWarp& warp) {
  lut_.forget(warp.index);
  entries_[warp.index] = nullptr;
  free_.push_back(warp.index);
  std::erase(warps_, &warp);
}

std::span<const WarpPool::Touched> WarpPool::refill() {
  touched_.clear();
  if (!warps_.empty() || queue_.empty()) return touched_;
  std::deque<Queued> waiting = std::move(queue_);
  queue_.clear();
  std::vector<Touched> all;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (free_.empty()) {
      queue_.insert(queue_.end(), waiting.begin() + static_cast<std::ptrdiff_t>(i), waiting.end());
      break;
    }
    const auto some = insert(waiting[i].place, waiting[i].threads, waiting[i].lanes);
    ++counts_[PolicyEvent::refilled];
    all.insert(all.end(), some.begin(), some.end());
  }
  touched_ = std::move(all);
  return touched_;
}

}  // namespace heddle::device::sim
