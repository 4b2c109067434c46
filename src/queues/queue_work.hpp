// Launches and other commands that queues of the explicit level hold in managed mode until they are submitted.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "device/partition.hpp"
#include "queues/shared_queue.hpp"
#include "runtime/kernel_state.hpp"
#include "sched/held_task.hpp"

namespace heddle::queues {

// The first failure of a held command, for the next synchronisation of its queue. Needs the core's lock.
struct HeldFailure {
  std::exception_ptr first;
  void add(const std::exception_ptr& failure) {
    if (!first) first = failure;
  }
};

// Whether later commands are held until a command has run, or only until it is submitted.
enum class HoldsUp { until_submitted, until_run };

// Copies, fills, events, functions of the host. They are submitted as soon as the commands before them let them.
class QueueCommand final : public sched::Work {
 public:
  QueueCommand(SharedQueue& queue, HeldFailure& failure, std::function<void()> put, HoldsUp holds_up)
      : queue_(queue), failure_(failure), put_(std::move(put)), holds_up_(holds_up) {}
  std::string_view name() const override { return "command"; }
  std::size_t place() const override { return queue_.place(); }
  bool governed() const override { return false; }
  bool holds_up() const override { return holds_up_ == HoldsUp::until_run; }
  void submit(BlockRange, bool, const device::Partition*, device::Event* end) override {
    std::exchange(put_, nullptr)();  // what it holds ends when it has run, and not with this task
    if (end != nullptr) queue_.put([&](device::Queue& queue) { queue.record(*end); });
  }
  void failed(const std::exception_ptr& failure) override {
    failure_.add(failure);
    put_ = nullptr;
  }
  std::shared_ptr<device::Event> take_event() override { return queue_.core().device(place()).untimed_event(); }
  void give_event(std::shared_ptr<device::Event>) override {}

 private:
  SharedQueue& queue_;
  HeldFailure& failure_;
  std::function<void()> put_;
  const HoldsUp holds_up_;
};

// A launch. It is submitted in ranges of blocks if the device can run parts of its grid and its blocks are independent.
class QueueLaunch final : public sched::Work {
 public:
  // `partition`: the queue's own; null: the policy may choose one. The first launch of a kernel may compile code for
  // parts of grids. Must be called without the core's lock.
  QueueLaunch(SharedQueue& queue, HeldFailure& failure, runtime::KernelState& kernel, device::Function& function,
              const device::LaunchConfig& config, BlockRange blocks, std::span<const std::byte> arguments,
              const device::Partition* partition);
  std::string_view name() const override { return kernel_.name(); }
  std::size_t place() const override { return place_; }
  BlockRange blocks() const override { return blocks_; }
  bool divisible() override { return divisible_; }
  sched::LaunchTraits traits() override { return traits_; }
  bool in_order() const override { return true; }
  void submit(BlockRange range, bool last, const device::Partition* partition, device::Event* end) override;
  void set_priority(int priority) override { priority_ = priority; }
  void failed(const std::exception_ptr& failure) override { failure_.add(failure); }
  std::shared_ptr<device::Event> take_event() override;
  void give_event(std::shared_ptr<device::Event> event) override;
  double seconds_per_block() const override { return kernel_.seconds_per_block(place_); }
  void measured(std::uint64_t blocks, double seconds) override {
    kernel_.add_time(place_, seconds / static_cast<double>(blocks));
  }

 private:
  core::Core& core_;
  SharedQueue& queue_;            // used until all blocks are submitted
  HeldFailure& failure_;          // the same
  runtime::KernelState& kernel_;  // its module's destructor waits for all tasks, held or in flight
  device::Function& function_;
  const std::size_t place_;
  const device::LaunchConfig config_;
  const BlockRange blocks_;
  const std::vector<std::byte> arguments_;
  const device::Partition* const partition_;
  const bool divisible_;
  const sched::LaunchTraits traits_;
  int priority_ = 0;
};

}  // namespace heddle::queues
