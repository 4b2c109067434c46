#include "device/launch_check.hpp"

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"

namespace heddle::device {
namespace {

std::string text(const Dim3& extent) { return base::format_triple(extent.x, extent.y, extent.z); }

// 1 to the limit: 0 is larger than any, one less.
template <class Limit>
bool fits(const Dim3& extent, const Limit (&limit)[3]) {
  return std::uint64_t{extent.x} - 1 < limit[0] && std::uint64_t{extent.y} - 1 < limit[1] &&
         std::uint64_t{extent.z} - 1 < limit[2];
}

void check_extent(const std::string& kernel, const char* what, const Dim3& extent, const std::uint64_t (&limit)[3]) {
  const std::uint64_t sizes[3] = {extent.x, extent.y, extent.z};
  for (unsigned i = 0; i < 3; ++i)
    if (sizes[i] == 0 || sizes[i] > limit[i])
      base::fail(ErrorCode::invalid_argument, "kernel '{}': {} {}: component {} must be 1 to {}",
                 base::demangled(kernel), what, text(extent), "xyz"[i], limit[i]);
}

}  // namespace

Dim3 extent_of(const ptx::FunctionDirective& directive) {
  Dim3 extent;
  if (directive.values.size() > 0) extent.x = directive.values[0];
  if (directive.values.size() > 1) extent.y = directive.values[1];
  if (directive.values.size() > 2) extent.z = directive.values[2];
  return extent;
}

void check_module(const ptx::Module& module, std::string_view device) {
  if (module.address_size != 64)
    base::fail(ErrorCode::unsupported,
               "the module has addresses of {} bits (.address_size, or PTX older than 2.3 without it); {} runs 64-bit "
               "modules only",
               module.address_size, device);
}

void refuse_placed(const LoadOptions& options, std::string_view device) {
  if (!options.placed.empty())
    base::fail(ErrorCode::unsupported,
               "the variable '{}' cannot lie in the host's memory on {}, which has memory of its own",
               options.placed.front().name, device);
}

void check_block(const DeviceInfo& info, const ptx::Function& function, const Dim3& block) {
  if (!fits(block, info.max_block))
    check_extent(function.name, "block", block, {info.max_block[0], info.max_block[1], info.max_block[2]});
  if (block.count() > info.max_threads_per_block)
    base::fail(ErrorCode::invalid_argument, "kernel '{}': a block of {} threads; at most {} are allowed",
               base::demangled(function.name), block.count(), info.max_threads_per_block);
  if (function.directives.empty()) return;
  if (const auto* required = function.directive("reqntid"); required && !(extent_of(*required) == block))
    base::fail(ErrorCode::invalid_argument, "kernel '{}' must be launched with blocks of {} threads (.reqntid), not {}",
               base::demangled(function.name), text(extent_of(*required)), text(block));
  if (const auto* most = function.directive("maxntid"); most && block.count() > extent_of(*most).count())
    base::fail(ErrorCode::invalid_argument, "kernel '{}' allows at most {} threads in a block (.maxntid), not {}",
               base::demangled(function.name), extent_of(*most).count(), block.count());
}

void refuse_clusters(const ptx::Function& function, std::string_view device) {
  const auto* cluster = function.directive("reqnctapercluster");
  if (cluster && extent_of(*cluster).count() > 1)
    base::fail(ErrorCode::unsupported,
               "kernel '{}' is declared for clusters of {} blocks (.reqnctapercluster); {} has clusters of one block "
               "only",
               base::demangled(function.name), text(extent_of(*cluster)), device);
}

void check_launch(const DeviceInfo& info, const Function& function, const LaunchConfig& config, const BlockRange& range,
                  std::size_t argument_bytes) {
  const std::string& name = function.ptx().name;
  check_block(info, function.ptx(), config.block);
  if (!fits(config.grid, info.max_grid)) check_extent(name, "grid", config.grid, info.max_grid);
  const std::uint64_t shared = function.static_shared_bytes() + config.dynamic_shared_bytes;
  if (shared > info.max_shared_per_block)
    base::fail(ErrorCode::invalid_argument,
               "kernel '{}': {} of shared memory ({} static, {} dynamic) are more than the {} a block may have",
               base::demangled(name), base::counted(shared, "byte"), function.static_shared_bytes(),
               config.dynamic_shared_bytes, info.max_shared_per_block);
  if (range.begin > range.end || range.end > config.grid.count())
    base::fail(ErrorCode::invalid_argument, "kernel '{}': blocks [{}, {}) are not within the grid's {}",
               base::demangled(name), range.begin, range.end, config.grid.count());
  if (argument_bytes != function.parameter_bytes())
    base::fail(ErrorCode::invalid_argument, "kernel '{}': {} of arguments given, but its parameters take {}",
               base::demangled(name), base::counted(argument_bytes, "byte"), function.parameter_bytes());
}

void check_parts(const Function& function, const LaunchConfig& config, std::uint64_t part) {
  if (part == 0)
    base::fail(ErrorCode::invalid_argument, "kernel '{}': a launch in parts of no blocks",
               base::demangled(function.ptx().name));
  if (config.cooperative)
    base::fail(ErrorCode::unsupported, "kernel '{}': a cooperative launch runs all its blocks together, not in parts",
               base::demangled(function.ptx().name));
}

void check_stoppable(const DeviceInfo& info, const Function& function, const LaunchConfig& config,
                     const BlockRange& range, std::size_t argument_bytes) {
  if (config.cooperative)
    base::fail(ErrorCode::unsupported,
               "kernel '{}': a cooperative launch cannot be stopped between its blocks, which all run together",
               base::demangled(function.ptx().name));
  check_launch(info, function, config, range, argument_bytes);
}

}  // namespace heddle::device
