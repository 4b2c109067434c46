#include "device/cuda/grid_launcher.hpp"

#include <vector>

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "device/cuda/launch_grid.hpp"

namespace heddle::device::cuda {

void GridLauncher::check_cooperative(CudaFunction& kernel, const LaunchConfig& config, BlockRange range) const {
  if (range.begin != 0 || range.end != config.grid.count())
    base::fail(ErrorCode::unsupported,
               "kernel '{}': a cooperative launch runs all its blocks together; {} cannot run blocks [{}, {}) of {}",
               base::demangled(kernel.ptx().name), state().info().id, range.begin, range.end, config.grid.count());
  kernel.whole().allow_shared(state(), config.dynamic_shared_bytes);
  const std::uint64_t resident = resident_blocks(state(), kernel.whole(), config, commands_.processors());
  if (config.grid.count() > resident)
    base::fail(ErrorCode::invalid_argument,
               "kernel '{}': a cooperative launch of {} blocks of {} threads; {} such blocks fit on {} at once",
               base::demangled(kernel.ptx().name), config.grid.count(), config.block.count(), resident,
               state().info().id);
}

void GridLauncher::launch(CudaFunction& kernel, const LaunchConfig& config, std::span<const std::byte> arguments) {
  commands_.put_launch(arguments,
                       [this, &kernel, config](std::span<const std::byte> bytes) { start(kernel, config, bytes); });
}

void GridLauncher::start(CudaFunction& kernel, const LaunchConfig& config, std::span<const std::byte> arguments) const {
  const Tracer::Scope traced =
      commands_.trace(base::TraceEvent::Kind::launch, kernel.ptx().name, 0, {0, config.grid.count()}, config);
  commands_.chain().end();
  if (config.cooperative)
    start_cooperative(kernel, config, arguments);
  else
    start_ordinary(kernel, config, arguments);
  commands_.remember(kernel.ptx().name);
}

void GridLauncher::start_ordinary(CudaFunction& kernel, const LaunchConfig& config,
                                  std::span<const std::byte> arguments) const {
  kernel.whole().allow_shared(state(), config.dynamic_shared_bytes);
  const driver::Result result = start_grid(state().driver(), kernel.whole().handle(), config.grid, config,
                                           commands_.current(), GridArguments(kernel, arguments));
  if (result != driver::success) commands_.check(result, "launching kernel '" + kernel.ptx().name + "'");
}

void GridLauncher::start_cooperative(CudaFunction& kernel, const LaunchConfig& config,
                                     std::span<const std::byte> arguments) const {
  std::vector<void*> pointers = pointers_into(arguments, kernel.parameters());
  const driver::Result result = state().driver().launch_cooperative(
      kernel.whole().handle(), config.grid.x, config.grid.y, config.grid.z, config.block.x, config.block.y,
      config.block.z, config.dynamic_shared_bytes, commands_.current(), pointers.empty() ? nullptr : pointers.data());
  if (result != driver::success) commands_.check(result, "launching kernel '" + kernel.ptx().name + "' cooperatively");
}

}  // namespace heddle::device::cuda
