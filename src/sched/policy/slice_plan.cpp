#include "sched/policy/slice_plan.hpp"

#include <algorithm>
#include <cmath>

#include "sched/policy/pair_rates.hpp"

namespace heddle::sched {
namespace {

constexpr unsigned parts = 3;        // slices of a kernel on the device at a time: fewer leave gaps when one ends
constexpr unsigned most_ahead = 12;  // devices run 16 launches at a time, and more
constexpr double room = 1.5;         // blocks do not end at equal distances
// Of the blocks on the SMs: fewer leave gaps when several end at once, more would follow a new choice too late.
constexpr double shortest_queue = .25, longest_queue = 2;

SlicePlan plan_lanes(const CoRunDevice& device, unsigned processors, unsigned blocks, double on_sm) {
  constexpr double at_least = 2;  // launches that the host is ahead
  constexpr unsigned at_most = 32;
  SlicePlan plan;
  plan.resident = std::uint64_t{blocks} * std::max(1u, processors);
  plan.blocks = (plan.resident + device.lanes - 1) / device.lanes;
  const double rounds = 1 + std::max(at_least, 2 * device.launch_cycles / std::max(on_sm, 1.0));
  const auto least = static_cast<unsigned>(std::min<double>(std::ceil(device.lanes * rounds), at_most));
  // Each decision that submits something costs the host as much as several that do not.
  constexpr unsigned most_at_a_time = 16;
  plan.refill = std::min(least, most_at_a_time);
  plan.ahead = least + plan.refill - 1;
  return plan;
}

}  // namespace

double profit_with_launches(const CoRunDevice& device, unsigned processors, const KernelTraits& first,
                            const KernelTraits& second, const model::CoSchedule& pair) {
  if (device.slice_cycles <= 0) return pair.profit;
  // Slices of a kernel that end in a cycle.
  const auto slices = [&](const KernelTraits& kernel, unsigned blocks, double ipc) {
    const double ended = ipc * processors / kernel.kernel.block_instructions;
    return ended / static_cast<double>(plan_slices(device, processors, kernel, blocks, ipc).blocks);
  };
  constexpr double at_most = .7;  // of the host's time
  const double busy = device.slice_cycles * (slices(first, pair.first_blocks, pair.together.first) +
                                             slices(second, pair.second_blocks, pair.together.second));
  return 1 - (1 - pair.profit) * std::max(1.0, busy / at_most);
}

SlicePlan plan_slices(const CoRunDevice& device, unsigned processors, const KernelTraits& kernel, unsigned blocks,
                      double ipc) {
  const unsigned resident = std::max(1u, model::resident_blocks(device.limits, kernel.kernel.needs));
  // Cycles for which a block stays on its SM.
  const double on_sm = ipc > 0
                           ? blocks * kernel.kernel.block_instructions / ipc
                           : resident * kernel.kernel.block_instructions / std::max(alone_ipc(device, kernel), 1e-9);
  if (device.slice_cycles > 0) return plan_lanes(device, processors, blocks, on_sm);
  const double queue = std::clamp(room * device.launch_cycles / std::max(on_sm, 1.0), shortest_queue, longest_queue);
  SlicePlan plan;
  const std::uint64_t sms = std::max(1u, processors);
  const std::uint64_t least = kernel.kernel.least_blocks > 1 ? std::min(kernel.kernel.least_blocks, blocks) * sms : 1;
  plan.resident = blocks * sms;
  // A slice may have fewer blocks than there are SMs: with whole ones, a kernel that is to have one block on each SM
  // would have two of them in flight, and both would find room.
  plan.blocks = std::max(least, (plan.resident + parts - 1) / parts);
  plan.ahead = static_cast<unsigned>(
      std::ceil(static_cast<double>(plan.resident) * (1 + queue) / static_cast<double>(plan.blocks)));
  plan.ahead = std::clamp(plan.ahead, 2u, most_ahead);
  return plan;
}

}  // namespace heddle::sched
