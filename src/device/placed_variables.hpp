// Variables of a module in host memory (LoadOptions::placed): functions for the devices that support them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heddle/placed_variables.hpp"
#include "ptx/ir.hpp"

namespace heddle::device {

// Null if the variable is not among them.
const PlacedVariable* find_placed(std::span<const PlacedVariable> placed, const ptx::Variable& variable);

// The address of a placed variable of `size` bytes. Throws invalid_argument for constant variables, and if the memory
// is too small or not aligned.
std::uint64_t placed_address(const ptx::Variable& variable, std::uint64_t size, const PlacedVariable& place);

// Whether the device has to write this element of a placed variable: its initial value is an address, and it holds the
// placeholder address_of_device.
bool needs_device_address(const ptx::InitValue& value, const void* at, std::size_t element);

}  // namespace heddle::device
