#include "runtime/footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "device/footprint.hpp"
#include "runtime/arguments.hpp"
#include "runtime/buffer.hpp"
#include "runtime/module_state.hpp"

namespace heddle::runtime {

void set_footprint(device::Queue& queue, std::size_t place, KernelState& kernel, bool opaque,
                   std::span<const Argument> arguments, std::span<const std::shared_ptr<Buffer>> pinned) {
  if (opaque) return queue.set_footprint(nullptr);
  std::vector<device::Footprint::Part> parts;
  const KernelInfo& info = kernel.info();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.kind() != Argument::Kind::array) continue;
    const Parameter& parameter = info.parameters[i];
    const Access access = use_of(kernel, parameter, i, argument).access;
    const Buffer& buffer = *argument.buffer();
    const std::uint64_t begin = buffer.address(place) + argument.offset();
    parts.push_back({begin, begin + std::min(argument.length(), buffer.bytes() - argument.offset()), reads(access),
                     writes(access),
                     fmt::format("argument {}{}", i + 1, parameter.label.empty() ? "" : ", " + parameter.label)});
  }
  for (const auto& buffer : pinned)
    parts.push_back(
        {buffer->address(place), buffer->address(place) + buffer->bytes(), true, true, "its address was taken"});
  queue.set_footprint(std::make_shared<const device::Footprint>(std::move(parts)));
}

}  // namespace heddle::runtime
