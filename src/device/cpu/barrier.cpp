#include "device/cpu/barrier.hpp"

#include <algorithm>

namespace heddle::device::cpu {

void BarrierSet::reset(unsigned threads) {
  for (unsigned b = 0; b < barriers; ++b)
    if (active(b)) barriers_[b] = Barrier{};
  active_ = 0;
  threads_ = threads;
  warps_ = (threads + warp_threads - 1) / warp_threads;
  if (left_total_ != 0) left_.fill(0);
  left_total_ = 0;
}

bool BarrierSet::is_complete(const Barrier& barrier) const {
  if (!barrier.counted) {
    if (left_total_ == 0) return barrier.total >= threads_;
    std::uint32_t there = 0;
    for (unsigned w = 0; w < warps_; ++w) there += std::min(lanes_of(w), accounted(barrier, w));
    return there >= threads_;
  }
  std::uint32_t there = 0;
  for (unsigned w = 0; w < warps_; ++w) {
    const std::uint32_t arrived = barrier.by_warp[w];
    if (arrived == 0) continue;
    there += accounted(barrier, w) >= lanes_of(w) ? std::max<std::uint32_t>(warp_threads, arrived) : arrived;
  }
  return there >= barrier.expected;
}

void BarrierSet::finish(unsigned number) {
  Barrier& barrier = barriers_[number];
  std::uint32_t result = 0;
  switch (barrier.reduction) {
    case BarrierKind::reduce_and: result = barrier.holds == barrier.voters ? 1 : 0; break;
    case BarrierKind::reduce_or: result = barrier.holds != 0 ? 1 : 0; break;
    case BarrierKind::reduce_popc: result = barrier.holds; break;
    case BarrierKind::sync:
    case BarrierKind::arrive: break;
  }
  std::fill_n(barrier.by_warp.begin(), warps_, std::uint16_t{0});
  std::fill_n(barrier.lanes.begin(), warps_, 0u);
  barrier.expected = barrier.total = barrier.voters = barrier.holds = 0;
  barrier.counted = false;
  barrier.reduction = BarrierKind::sync;
  barrier.result = result;
  active_ &= ~(1u << number);
}

BarrierSet::Outcome BarrierSet::arrive_any(unsigned number, unsigned thread, std::uint32_t threads,
                                           std::uint32_t arriving, BarrierKind kind, std::uint32_t value) {
  if (number >= barriers) return Outcome::bad_number;
  const bool counted = threads != 0;
  if (!counted || threads == threads_) threads = warps_ * warp_threads;  // the last warp counts in full
  if (threads % warp_threads != 0) return Outcome::bad_count;
  Barrier& barrier = barriers_[number];
  const bool reduces = kind != BarrierKind::sync && kind != BarrierKind::arrive;
  if (!active(number)) {
    active_ |= 1u << number;
    barrier.expected = threads;
    barrier.counted = counted;
  } else if (barrier.expected != threads || barrier.counted != counted) {
    return Outcome::mixed;
  }
  if (reduces) {
    if (barrier.reduction != BarrierKind::sync && barrier.reduction != kind) return Outcome::mixed;
    barrier.reduction = kind;
    barrier.voters += arriving;
    barrier.holds += value;
  }
  barrier.total += arriving;
  std::uint16_t& of_warp = barrier.by_warp[thread / warp_threads];
  of_warp = static_cast<std::uint16_t>(of_warp + arriving);
  barrier.lanes[thread / warp_threads] |= group_of(thread, arriving);
  if (!is_complete(barrier)) return Outcome::wait;
  finish(number);
  return Outcome::complete;
}

std::uint32_t BarrierSet::leave(unsigned thread, unsigned count) {
  std::uint32_t& of_warp = left_[thread / warp_threads];
  const unsigned first = thread % warp_threads;
  const std::uint64_t group = ((std::uint64_t{1} << count) - 1) << first;
  if ((of_warp & group) == 0 && first + count <= warp_threads) {  // nearly always: a warp at its end
    of_warp |= static_cast<std::uint32_t>(group);
  } else {
    for (unsigned lane = first, more = count; lane < warp_threads && more != 0; ++lane) {
      if ((of_warp >> lane & 1) != 0) continue;
      of_warp |= 1u << lane;
      --more;
    }
  }
  left_total_ += count;
  std::uint32_t completed = 0;
  for (unsigned number = 0; active_ >> number != 0; ++number) {
    if (!active(number) || !is_complete(barriers_[number])) continue;
    finish(number);
    completed |= 1u << number;
  }
  return completed;
}

}  // namespace heddle::device::cpu
