// Numbers of dedicated queues, for open tasks (Scheduler::open): other tasks are submitted while an open task is
// submitted command by command. Tasks of a queue must end in the order in which they were made, so each open task has a
// queue of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace heddle::sched {

// Needs the core's lock.
class DedicatedQueues {
 public:
  explicit DedicatedQueues(std::size_t places) : used_(places), next_(places) {}

  // A queue of the place that no open task has. Successive tasks get different queues, so that they can overlap.
  std::size_t take(std::size_t place) {
    std::vector<bool>& used = used_[place];
    if (used.size() < spread) used.resize(spread);
    std::size_t number = next_[place]++ % spread;
    if (used[number]) number = static_cast<std::size_t>(std::find(used.begin(), used.end(), false) - used.begin());
    if (number == used.size()) used.push_back(true);
    used[number] = true;
    return first + number;
  }
  void release(std::size_t place, std::size_t number) { used_[place][number - first] = false; }

 private:
  static constexpr std::size_t first = 4;  // smaller numbers: copies that report their progress (early_start.hpp)
  static constexpr std::size_t spread = 8;
  std::vector<std::vector<bool>> used_;  // by place
  std::vector<std::size_t> next_;
};

}  // namespace heddle::sched
