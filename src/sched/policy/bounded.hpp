// Bounds the time of the work in flight on a device, so that an urgent task can start soon.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sched/policy.hpp"

namespace heddle::sched {

// Tasks are submitted by the priority of their queue, then by age. Of a divisible task, as many blocks are submitted as
// fit into the bound. A task whose time is not known is submitted alone, and if it is divisible, first one block for
// each processor: these measure its time.
class BoundedPolicy final : public Policy {
 public:
  explicit BoundedPolicy(double seconds) : seconds_(seconds) {}

  void decide(const View& view, std::vector<Decision>& decisions) override {
    room_.clear();
    for (const DeviceView& device : view.devices)
      room_.push_back({seconds_ - device.predicted_seconds, device.ranges, device.unknown_ranges});
    order_.clear();
    for (std::size_t task = 0; task < view.ready.size(); ++task) order_.push_back(task);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return view.ready[a].queue->priority > view.ready[b].queue->priority;
    });
    for (const std::size_t task : order_) add(view, task, decisions);
  }

 private:
  static constexpr double rounding = 1e-6;  // of a block, as quotients are not exact
  struct Room {
    double seconds;
    std::uint32_t ranges, unknown;
  };

  void add(const View& view, std::size_t number, std::vector<Decision>& decisions) {
    const TaskView& task = view.ready[number];
    Room& room = room_[task.place];
    if (room.unknown > 0) return;
    if (task.seconds_per_block <= 0) {
      if (room.ranges > 0) return;
      const std::uint64_t first = task.divisible ? view.devices[task.place].processors : 0;
      decisions.push_back({.task = number, .blocks = first});
      room.unknown = room.ranges = 1;
      return;
    }
    // A task that exceeds the bound and is not divisible is submitted when the device is empty.
    const double whole = task.seconds_per_block * static_cast<double>(task.left.size());
    double blocks = static_cast<double>(task.left.size());
    if (whole > room.seconds) {
      if (!task.divisible && room.ranges > 0) return;
      if (task.divisible)
        blocks = std::max(room.seconds / task.seconds_per_block + rounding, room.ranges == 0 ? 1.0 : 0.0);
    }
    if (blocks < 1) return;
    const auto count = static_cast<std::uint64_t>(blocks);
    decisions.push_back({.task = number, .blocks = count});
    room.seconds -= task.seconds_per_block * static_cast<double>(count);
    ++room.ranges;
  }

  const double seconds_;
  std::vector<Room> room_;
  std::vector<std::size_t> order_;
};

}  // namespace heddle::sched
