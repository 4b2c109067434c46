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
constexpr double shortest_queue = .5, longest_queue = 2;

}  // namespace

SlicePlan plan_slices(const CoRunDevice& device, unsigned processors, const KernelTraits& kernel, unsigned blocks,
                      double ipc) {
  const unsigned resident = std::max(1u, model::resident_blocks(device.limits, kernel.kernel.needs));
  // Cycles for which a block stays on its SM.
  const double on_sm = ipc > 0
                           ? blocks * kernel.kernel.block_instructions / ipc
                           : resident * kernel.kernel.block_instructions / std::max(alone_ipc(device, kernel), 1e-9);
  const double queue = std::clamp(room * device.launch_cycles / std::max(on_sm, 1.0), shortest_queue, longest_queue);
  SlicePlan plan;
  const unsigned of_slice = std::max(std::min(kernel.kernel.least_blocks, blocks), (blocks + parts - 1) / parts);
  plan.blocks = std::uint64_t{of_slice} * std::max(1u, processors);
  plan.resident = std::uint64_t{blocks} * std::max(1u, processors);
  plan.ahead = static_cast<unsigned>(std::ceil(blocks * (1 + queue) / of_slice));
  plan.ahead = std::clamp(plan.ahead, 2u, most_ahead);
  return plan;
}

}  // namespace heddle::sched
