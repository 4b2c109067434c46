// Launches of kernel models, as the dispatcher holds and submits them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "device/owned_event.hpp"
#include "device/partition.hpp"
#include "sched/held_task.hpp"
#include "tenancy/virtual_gpu.hpp"

namespace heddle::tenancy {

class VirtualPartition final : public device::Partition {
 public:
  VirtualPartition(std::vector<unsigned> processors, unsigned grain) : processors_{std::move(processors)} {
    for (const unsigned processor : processors_.ids) units_.set(processor / grain);
  }
  const device::ProcessorSet& processors() const override { return processors_; }
  const Units& units() const { return units_; }

 private:
  device::ProcessorSet processors_;
  Units units_;
};

// Seconds that a block has taken, by tenant and kernel, as the runtime learns them.
class BlockTimes {
 public:
  double of(const KernelModel& kernel) const {
    const auto found = times_.find(&kernel);
    return found == times_.end() ? 0 : found->second;
  }
  void add(const KernelModel& kernel, double seconds) {
    const auto [at, first] = times_.emplace(&kernel, seconds);
    if (!first) at->second += (seconds - at->second) * 0.25;
  }

 private:
  std::map<const KernelModel*, double> times_;
};

class VirtualWork final : public sched::Work {
 public:
  // `ended`: called when its last block has ended; null: nobody asks. All outlive the work.
  VirtualWork(VirtualGpu& gpu, std::uint32_t stream, const KernelModel& kernel, BlockTimes& times,
              std::function<void(std::uint64_t end_ns)> ended)
      : gpu_(gpu), stream_(stream), kernel_(kernel), times_(times), ended_(std::move(ended)) {}
  std::string_view name() const override { return kernel_.name; }
  std::size_t place() const override { return 0; }
  BlockRange blocks() const override { return {0, kernel_.blocks}; }
  bool divisible() override { return kernel_.divisible && !kernel_.cooperative; }
  sched::LaunchTraits traits() override {
    return {.signature = kernel_.signature,
            .resident_blocks = kernel_.resident_blocks,
            .cooperative = kernel_.cooperative,
            .memory_share = kernel_.memory_share};
  }
  bool in_order() const override { return true; }
  void set_priority(int priority) override { priority_ = priority; }
  void submit(BlockRange range, bool last, const device::Partition* partition, device::Event* end) override {
    Units units;
    if (partition != nullptr)
      units = static_cast<const VirtualPartition*>(partition)->units();
    else
      for (unsigned unit = 0; unit < gpu_.shape().units; ++unit) units.set(unit);
    gpu_.submit({.stream = stream_,
                 .kernel = &kernel_,
                 .blocks = range.size(),
                 .units = units,
                 .priority = priority_,
                 .ended = [event = std::static_pointer_cast<device::OwnedEvent>(std::exchange(next_, nullptr)),
                           told = last ? std::move(ended_) : nullptr, end](std::uint64_t end_ns) {
                   if (end != nullptr) event->complete(end_ns);
                   if (told) told(end_ns);
                 }});
  }
  std::shared_ptr<device::Event> take_event() override { return next_ = std::make_shared<device::OwnedEvent>(); }
  void give_event(std::shared_ptr<device::Event>) override {}
  double seconds_per_block() const override { return times_.of(kernel_); }
  void measured(std::uint64_t blocks, double seconds) override {
    times_.add(kernel_, seconds / static_cast<double>(blocks));
  }

 private:
  VirtualGpu& gpu_;
  const std::uint32_t stream_;
  const KernelModel& kernel_;
  BlockTimes& times_;
  std::function<void(std::uint64_t)> ended_;
  std::shared_ptr<device::Event> next_;
  int priority_ = 0;
};

}  // namespace heddle::tenancy
