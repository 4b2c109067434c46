// For comparison: whole launches, at most so many in flight on a device.
#pragma once

#include <vector>

#include "sched/policy.hpp"

namespace heddle::sched {

// In the order in which they were made. One: one after the other. More: as streams, which a GPU runs together where
// one leaves room, as the consolidation that Kernelet compares with (section 5.1: BASE).
class WholePolicy final : public Policy {
 public:
  explicit WholePolicy(unsigned most) : most_(most) {}
  void decide(const View& view, std::vector<Decision>& decisions) override {
    ranges_.clear();
    for (const DeviceView& device : view.devices) ranges_.push_back(device.ranges);
    for (std::size_t i = 0; i < view.ready.size(); ++i) {
      std::uint32_t& ranges = ranges_[view.ready[i].place];
      if (ranges >= most_) continue;
      decisions.push_back({.task = i});
      ++ranges;
    }
  }

 private:
  const unsigned most_;
  std::vector<std::uint32_t> ranges_;
};

}  // namespace heddle::sched
