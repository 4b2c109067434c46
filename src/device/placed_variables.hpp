// Variables of a module that lie in memory of the host's (LoadOptions::placed), as devices that take them do it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heddle/placed_variables.hpp"
#include "ptx/ir.hpp"

namespace heddle::device {

// Null where the variable is none of them.
const PlacedVariable* find_placed(std::span<const PlacedVariable> placed, const ptx::Variable& variable);

// Where a variable of `size` bytes lies then. Throws invalid_argument where it cannot.
std::uint64_t placed_address(const ptx::Variable& variable, std::uint64_t size, const PlacedVariable& place);

// Whether the host has left this element of such a variable to the device: address_of_device is there.
bool needs_device_address(const ptx::InitValue& value, const void* at, std::size_t element);

}  // namespace heddle::device
