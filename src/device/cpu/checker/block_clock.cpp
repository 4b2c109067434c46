#include "device/cpu/checker/block_clock.hpp"

#include <algorithm>
#include <span>

namespace heddle::device::cpu {

void BlockClock::start(std::uint64_t launch, std::uint64_t block, std::uint32_t threads, std::uint32_t shared_bytes,
                       Time now, bool knows_written) {
  forget();
  launch_ = launch;
  block_ = block;
  threads_ = threads;
  is_plain_ = is_aligned_ = true;
  all_ = now;  // what was here before is nobody's business
  stamp_ = (stamp_ + 1) % AccessCells::stamps;
  if (stamp_ == 0) stamp_ = 1;
  if (cells_ == nullptr || shared_bytes > shared_bytes_) {
    shared_bytes_ = shared_bytes;
    cells_ = std::make_unique<AccessCells>(shared_bytes);
    written_ = std::make_unique<WrittenBytes>(shared_bytes);
  } else if (knows_written) {
    written_->clear();
  }
}

// What the block before has left. Blocks are many and may be short: most have set none of the larger parts.
void BlockClock::forget_gatherings() {
  if (has_gatherings_)
    for (Warp& warp : warps_) {
      warp.gatherings.clear();
      warp.is_divergent = false;
    }
  has_gatherings_ = false;
}

void BlockClock::forget() {
  const unsigned used = std::min((threads_ + warp_threads - 1) / warp_threads, most_warps);
  for (Warp& warp : std::span(warps_).first(used)) {
    warp.all = warp.released = warp.acquired = 0;
    if (is_plain_) continue;
    warp.after.fill(0);
    warp.lanes.reset();
  }
  forget_gatherings();
  if (!is_plain_)
    for (Barrier& barrier : barriers_) barrier.arrived = barrier.waiting = 0;
  first_arrivals.fill({});
  pending_acquires = 0;
}

void BlockClock::lanes_met(unsigned number, std::uint32_t lanes, Time now) {
  Warp& warp = warps_[number];
  const std::uint32_t rest = threads_ - number * warp_threads;
  const std::uint32_t there = rest >= warp_threads ? ~0u : (1u << rest) - 1;
  if ((lanes & there) == there) {
    warp.all = now;
    return;
  }
  is_plain_ = false;
  if (warp.lanes == nullptr) warp.lanes = std::make_unique<LaneTimes>();
  // What came before one of them comes before all of them.
  std::array<Time, warp_threads> joined{};
  for (unsigned lane = 0; lane < warp_threads; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    for (unsigned other = 0; other < warp_threads; ++other)
      joined[other] = std::max(joined[other], (lanes >> other & 1) != 0 ? now : (*warp.lanes)[lane][other]);
  }
  for (unsigned lane = 0; lane < warp_threads; ++lane)
    if ((lanes >> lane & 1) != 0) (*warp.lanes)[lane] = joined;
}

std::optional<BlockClock::Arrival> BlockClock::others_of_warp(unsigned number, unsigned warp, std::uint32_t lanes,
                                                              const Arrival& now) {
  Barrier& barrier = barriers_[number];
  if ((barrier.arrived >> warp & 1) == 0) {
    barrier.first[warp] = now;
    barrier.lanes[warp] = lanes;
    return std::nullopt;
  }
  // A lane that arrives without waiting may come again in the same phase.
  const bool are_others = (barrier.lanes[warp] & lanes) == 0;
  barrier.lanes[warp] |= lanes;
  return are_others ? std::optional(barrier.first[warp]) : std::nullopt;
}

void BlockClock::arrive(unsigned number, unsigned warp, bool waits, Time now) {
  is_plain_ = false;
  Barrier& barrier = barriers_[number];
  barrier.arrived |= 1u << warp;
  if (waits) barrier.waiting |= 1u << warp;
  barrier.times[warp] = now;
}

void BlockClock::complete(unsigned number, Time now) {
  Barrier& barrier = barriers_[number];
  std::array<Time, most_warps> joined{};
  Time acquired = 0;
  for (unsigned w = 0; w < most_warps; ++w) {
    if ((barrier.arrived >> w & 1) == 0) continue;
    for (unsigned other = 0; other < most_warps; ++other)
      joined[other] = std::max(joined[other], warps_[w].after[other]);
    joined[w] = std::max(joined[w], (barrier.waiting >> w & 1) != 0 ? now : barrier.times[w]);
    acquired = std::max(acquired, warps_[w].acquired);
  }
  for (unsigned w = 0; w < most_warps; ++w) {
    if ((barrier.waiting >> w & 1) == 0) continue;
    warps_[w].after = joined;
    warps_[w].all = now;
    warps_[w].acquired = std::max(warps_[w].acquired, acquired);
  }
  barrier.arrived = barrier.waiting = 0;
}

}  // namespace heddle::device::cpu
