#include "device/cpu/written_places.hpp"

#include <cstring>

#include "ptx/analysis/access/access.hpp"

namespace heddle::device::cpu {
namespace {

using ptx::analysis::AccessMode;

bool may_write(AccessMode mode) { return mode != AccessMode::none && mode != AccessMode::read; }

}  // namespace

WrittenPlaces WrittenPlaces::find(const KernelUnit& unit, std::span<const ParameterLayout> parameters) {
  const ptx::analysis::FunctionAccess access = ptx::analysis::find_access(unit.module)[unit.kernel];
  WrittenPlaces found;
  found.anywhere_ = may_write(access.elsewhere);
  const auto all_of = [&](std::uint32_t parameter) {
    const auto [offset, size] = parameters[parameter];
    for (std::uint32_t at = 0; at + sizeof(std::uint64_t) <= size; at += 4) found.numbers_.push_back(offset + at);
  };
  for (const ptx::analysis::MemoryUse& use : access.fields) {
    if (!may_write(use.mode)) continue;
    if (use.offset < parameters[use.index].size)
      found.pointers_.push_back(parameters[use.index].offset + static_cast<std::uint32_t>(use.offset));
    else
      all_of(use.index);  // it is not known which field it is
  }
  // What is written may lie at the other end of a distance.
  for (const ptx::analysis::MemoryUse& use : access.parameters)
    if (use.in_addresses) all_of(use.index);
  for (const ptx::analysis::MemoryUse& use : access.variables)
    if (may_write(use.mode)) found.variables_.push_back(use.index);
  return found;
}

WrittenMemory WrittenPlaces::of_launch(std::span<const std::byte> arguments, std::uint8_t* const* variables) const {
  WrittenMemory memory;
  memory.anywhere = anywhere_;
  const auto take = [&](const std::vector<std::uint32_t>& offsets, std::vector<std::uint64_t>& values) {
    for (const std::uint32_t offset : offsets) {
      std::uint64_t value = 0;
      if (offset + sizeof value > arguments.size()) continue;
      std::memcpy(&value, &arguments[offset], sizeof value);
      values.push_back(value);
    }
  };
  take(pointers_, memory.addresses);
  take(numbers_, memory.numbers);
  for (const std::uint32_t variable : variables_)
    memory.addresses.push_back(reinterpret_cast<std::uint64_t>(variables[variable]));
  return memory;
}

}  // namespace heddle::device::cpu
