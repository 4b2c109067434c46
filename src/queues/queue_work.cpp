#include "queues/queue_work.hpp"

#include "runtime/launch_traits.hpp"

namespace heddle::queues {

QueueLaunch::QueueLaunch(SharedQueue& queue, HeldFailure& failure, runtime::KernelState& kernel,
                         device::Function& function, const device::LaunchConfig& config, BlockRange blocks,
                         std::span<const std::byte> arguments, const device::Partition* partition)
    : core_(queue.core()),
      queue_(queue),
      failure_(failure),
      kernel_(kernel),
      function_(function),
      place_(queue.place()),
      config_(config),
      blocks_(blocks),
      arguments_(arguments.begin(), arguments.end()),
      partition_(partition),
      divisible_(!config.cooperative && core_.ranges() && blocks.size() > 1 && kernel.blocks_independent() &&
                 function.prepare_ranges()),
      traits_(runtime::traits_of(kernel.id(), function, config)) {}

void QueueLaunch::submit(BlockRange range, bool, const device::Partition* chosen, device::Event* end) {
  queue_.put_on(partition_ != nullptr ? partition_ : chosen, priority_, [&](device::Queue& queue) {
    queue.launch(function_, config_, range, arguments_);
    if (end != nullptr) queue.record(*end);
  });
}

std::shared_ptr<device::Event> QueueLaunch::take_event() { return core_.scheduler().take_event(place_, true); }

void QueueLaunch::give_event(std::shared_ptr<device::Event> event) {
  core_.scheduler().give_event(place_, std::move(event), true);
}

}  // namespace heddle::queues
