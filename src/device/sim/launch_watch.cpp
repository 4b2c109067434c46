#include "device/sim/launch_watch.hpp"

#include <utility>
#include <vector>

#include "device/machine/waiting_text.hpp"
#include "heddle/error.hpp"

namespace heddle::device::sim {

void LaunchWatch::look(const Gpu& gpu, const GpuLaunch& launch) {
  look_for_waiting(gpu, launch);
  if (limit_.count() != 0) look_at_time(gpu, launch);
}

void LaunchWatch::look_for_waiting(const Gpu& gpu, const GpuLaunch& launch) {
  const bool blocked = gpu.stuck();
  if (!blocked && !gpu.spins()) {
    waiting_.restart();
    return;
  }
  const std::vector<const BlockContext*> blocks = gpu.blocks_of(launch, 1);
  if (blocks.empty()) return;
  const BlockContext& block = *blocks.front();
  if (blocked) throw Error(ErrorCode::deadlock, machine::blocked_text(block.core, block.block));
  if (!waiting_.over()) return;
  throw Error(ErrorCode::deadlock,
              machine::spinning_text(block.core, block.block,
                                     "every thread repeats the same steps and nothing changes in memory"));
}

void LaunchWatch::look_at_time(const Gpu& gpu, const GpuLaunch& launch) {
  const std::uint64_t now = clock_.now_ns();
  if (end_ns_ == 0) {
    if (launch.next != launch.range.begin) end_ns_ = now + static_cast<std::uint64_t>(limit_.count());
    return;
  }
  if (now < end_ns_) return;
  std::vector<machine::StandingBlock> standing;
  for (const BlockContext* const block : gpu.blocks_of(launch, machine::most_standing_blocks))
    standing.push_back({&block->core, &block->block});
  throw Error(KernelFault::timeout,
              machine::time_limit_text(launch.work.grid.kernel.ptx().name,
                                       std::chrono::duration<double>(limit_).count(), standing, launch.live));
}

}  // namespace heddle::device::sim
