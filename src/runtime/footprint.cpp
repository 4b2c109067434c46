#include "runtime/footprint.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "runtime/kernel_state.hpp"

namespace heddle::runtime {

std::shared_ptr<const device::Footprint> footprint_of(const sched::BoundLaunch& launch, const KernelState& kernel,
                                                      std::span<memory::Array* const> pinned) {
  if (launch.opaque) return nullptr;
  const auto space = static_cast<memory::Space>(launch.place);
  std::vector<device::Footprint::Part> parts;
  for (const sched::ArrayUse& use : launch.arrays) {
    const std::uint64_t address = use.array->address(space);
    const std::string& label = kernel.known_info().parameters[use.argument].label;
    parts.push_back({address + use.begin, address + use.end, use.reads, use.writes,
                     fmt::format("argument {}{}", use.argument + 1, label.empty() ? "" : ", " + label)});
  }
  for (const memory::Array* const array : pinned)
    parts.push_back(
        {array->address(space), array->address(space) + array->bytes(), true, true, "its address was taken"});
  return std::make_shared<const device::Footprint>(std::move(parts));
}

}  // namespace heddle::runtime
