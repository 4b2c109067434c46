// Submits all tasks at once, in ranges of so many blocks.
#pragma once

#include <cstdint>

#include "sched/policy.hpp"

namespace heddle::sched {

class SlicePolicy final : public Policy {
 public:
  explicit SlicePolicy(std::uint64_t blocks) : blocks_(blocks) {}
  void decide(const View& view, std::vector<Decision>& decisions) override {
    for (std::size_t number = 0; number < view.ready.size(); ++number) {
      const TaskView& task = view.ready[number];
      std::uint64_t left = task.divisible ? task.left.size() : 0;
      for (; left > blocks_; left -= blocks_) decisions.push_back({.task = number, .blocks = blocks_});
      decisions.push_back({.task = number});  // the rest
    }
  }

 private:
  const std::uint64_t blocks_;
};

}  // namespace heddle::sched
