#include "heddle/reach.hpp"

#include "base/fail.hpp"
#include "runtime/bind.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle {

std::optional<ArrayReach> block_reach(const Kernel& kernel, std::size_t parameter, const Dim3& grid, const Dim3& block,
                                      const BlockRange& blocks, std::span<const Argument> arguments) {
  const auto& reaches = kernel.state()->block_reach();
  if (parameter >= reaches.size())
    base::fail(ErrorCode::invalid_argument, "kernel {} has no parameter number {}", kernel.name(), parameter);
  const auto reach = reaches[parameter].of(grid, block, blocks, runtime::numbers_of(arguments));
  if (!reach) return std::nullopt;
  return ArrayReach{reach->begin, reach->end};
}

}  // namespace heddle
