#include "device/sim/record/time_series.hpp"

#include <algorithm>

namespace heddle::device::sim {
namespace {

constexpr Cycle least_interval = 16;

}  // namespace

SlotSample& SlotSample::operator+=(const SlotSample& other) {
  for (std::size_t i = 0; i < uses.size(); ++i) uses[i] += other.uses[i];
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] += other.lanes[i];
  return *this;
}

void TimeSeries::begin(Cycle begin) {
  begin_ = begin;
  interval_ = least_interval;
  samples_.clear();
}

void TimeSeries::widen() {
  for (std::size_t i = 0; i < samples_.size(); i += 2) {
    SlotSample both = samples_[i];
    if (i + 1 < samples_.size()) both += samples_[i + 1];
    samples_[i / 2] = both;
  }
  samples_.resize((samples_.size() + 1) / 2);
  interval_ *= 2;
}

void TimeSeries::add(Cycle from, Cycle to, SlotUse use, unsigned bucket) {
  from = std::max(from, begin_) - begin_;
  to = std::max(to, begin_) - begin_;
  if (from >= to) return;
  while ((to - 1) / interval_ >= most) widen();
  if (samples_.size() <= (to - 1) / interval_) samples_.resize((to - 1) / interval_ + 1);
  while (from < to) {
    const Cycle end = std::min(to, (from / interval_ + 1) * interval_);
    SlotSample& sample = samples_[from / interval_];
    sample.uses[static_cast<unsigned>(use)] += end - from;
    sample.lanes[bucket] += end - from;
    from = end;
  }
}

void TimeSeries::merge(const TimeSeries& other) {
  TimeSeries theirs = other;
  while (interval_ < theirs.interval_) widen();
  while (theirs.interval_ < interval_) theirs.widen();
  if (samples_.size() < theirs.samples_.size()) samples_.resize(theirs.samples_.size());
  for (std::size_t i = 0; i < theirs.samples_.size(); ++i) samples_[i] += theirs.samples_[i];
}

}  // namespace heddle::device::sim
