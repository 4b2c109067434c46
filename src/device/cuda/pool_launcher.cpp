#include "device/cuda/pool_launcher.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "device/cuda/launch_grid.hpp"
#include "ptx/rewrite/block_ranges_plan.hpp"

namespace heddle::device::cuda {

std::shared_ptr<StoppableLaunch> PoolLauncher::launch(CudaFunction& kernel, const LaunchConfig& config,
                                                      BlockRange range, std::span<const std::byte> arguments,
                                                      unsigned residents) {
  if (!kernel.module().stoppable())
    base::fail(ErrorCode::invalid_argument,
               "kernel '{}': its module was loaded without LoadOptions::stoppable, which {} needs for launches that "
               "can be stopped",
               base::demangled(kernel.ptx().name), state().info().id);
  const ptx::RangeEntry* const entry = kernel.range(ptx::RangeForm::pool).entry;
  if (entry->warps_are_rows && config.block.count() > config.block.x && config.block.x % 32 != 0)
    base::fail(
        ErrorCode::unsupported,
        "kernel '{}': on {} it can be stopped only with blocks of one dimension or of a width that is a multiple "
        "of 32, as threads of a warp that end apart must be neighbours; this launch's blocks are {} wide",
        kernel.ptx().name, state().info().id, config.block.x);
  while (!pending_.empty() && pending_.front().end->done()) pending_.pop_front();
  if (range.empty()) return std::make_shared<StopFlag>(range);
  auto end = std::make_shared<CudaPoint>(commands_.state(), false);
  const Pool pool{range, residents, pools_->acquire(range), end};
  pending_.push_back(pool);
  commands_.put_launch(
      arguments,
      [this, &kernel, config, pool](std::span<const std::byte> bytes) { start(kernel, config, pool, bytes); },
      [end](std::exception_ptr failure) { end->fail(std::move(failure)); });
  return pool.control;
}

void PoolLauncher::start(CudaFunction& kernel, const LaunchConfig& config, const Pool& pool,
                         std::span<const std::byte> arguments) const {
  const Tracer::Scope traced =
      commands_.trace(base::TraceEvent::Kind::launch, kernel.ptx().name, 0, pool.range, config);
  commands_.chain().end();
  start_blocks(kernel, config, pool, arguments);
  commands_.remember(kernel.ptx().name);
  commands_.check(state().driver().event_record(pool.end->handle(), commands_.current()), "recording an event");
  pool.end->submit();
}

void PoolLauncher::start_blocks(CudaFunction& kernel, const LaunchConfig& config, const Pool& pool,
                                std::span<const std::byte> arguments) const {
  const RangeCode code = kernel.range(ptx::RangeForm::pool);
  const ptx::RangeEntry* const entry = code.entry;
  code.function->allow_shared(state(), config.dynamic_shared_bytes);
  const std::uint64_t wanted =
      pool.residents != 0 ? pool.residents : resident_blocks(state(), *code.function, config, commands_.processors());
  const std::uint64_t workers = std::clamp<std::uint64_t>(wanted, 1, pool.range.size());
  const PoolControl& control = *pool.control;
  const ptx::PoolLaunch launch{static_cast<std::uint32_t>(workers), control.counter(), control.control()};
  std::vector<std::byte> bytes(entry->parameter_bytes);
  std::copy(arguments.begin(), arguments.end(), bytes.begin());
  const Driver& cuda = state().driver();
  const driver::Stream stream = commands_.current();
  const std::string what = "launching kernel '" + kernel.ptx().name + "' so that it can be stopped";
  commands_.check(cuda.fill32_async(control.counter(), static_cast<std::uint32_t>(pool.range.begin), 1, stream),
                  what + ", setting its counter");
  const GridArguments given(kernel, bytes, entry);
  for (const ptx::RangeLaunch& part : ptx::plan_range(*entry, config.grid, pool.range, {}, launch)) {
    std::copy(part.hidden.begin(), part.hidden.end(), bytes.begin() + entry->hidden_offset);
    commands_.check(start_grid(cuda, code.function->handle(), part.grid, config, stream, given), what);
  }
  commands_.check(cuda.copy_to_host_async(control.result(), control.counter(), sizeof(std::uint32_t), stream),
                  what + ", fetching its counter");
}

}  // namespace heddle::device::cuda
