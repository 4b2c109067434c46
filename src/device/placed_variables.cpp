#include "device/placed_variables.hpp"

#include <algorithm>
#include <cstring>

#include "base/fail.hpp"
#include "base/format.hpp"

namespace heddle::device {

const PlacedVariable* find_placed(std::span<const PlacedVariable> placed, const ptx::Variable& variable) {
  const auto found = std::find_if(placed.begin(), placed.end(),
                                  [&](const PlacedVariable& place) { return place.name == variable.name; });
  return found == placed.end() ? nullptr : &*found;
}

std::uint64_t placed_address(const ptx::Variable& variable, std::uint64_t size, const PlacedVariable& place) {
  const auto address = reinterpret_cast<std::uint64_t>(place.data);
  if (variable.space != ptx::Space::global)
    base::fail(ErrorCode::invalid_argument, "the constant variable '{}' cannot lie in the host's memory",
               variable.name);
  if (size > place.size || address == 0 || address % variable.alignment() != 0)
    base::fail(ErrorCode::invalid_argument,
               "the variable '{}' has {} aligned to {}, and cannot lie in the host's memory of {} at {:#x}",
               variable.name, base::counted(size, "byte"), variable.alignment(), place.size, address);
  return address;
}

bool needs_device_address(const ptx::InitValue& value, const void* at, std::size_t element) {
  using Kind = ptx::InitValue::Kind;
  if (value.kind == Kind::integer || value.kind == Kind::real || value.mask != 0) return false;
  std::uint64_t there = 0;
  if (element != sizeof there) return false;
  std::memcpy(&there, at, sizeof there);
  return there == address_of_device;
}

}  // namespace heddle::device
