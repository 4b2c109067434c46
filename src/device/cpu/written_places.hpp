// Which pointers a kernel may write through: what the access analysis says, for the check of races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu/checker/written_memory.hpp"
#include "device/cpu/kernel_unit.hpp"
#include "device/parameter_layout.hpp"

namespace heddle::device::cpu {

class WrittenPlaces {
 public:
  // `parameters`: those of the kernel.
  static WrittenPlaces find(const KernelUnit& unit, std::span<const ParameterLayout> parameters);
  // `variables`: addresses, by index in the unit's module.
  WrittenMemory of_launch(std::span<const std::byte> arguments, std::uint8_t* const* variables) const;

 private:
  bool anywhere_ = false;  // also through pointers that come from memory, or from nowhere
  // Offsets in the packed arguments: of pointers, and of numbers that may be pointers.
  std::vector<std::uint32_t> pointers_, numbers_;
  std::vector<std::uint32_t> variables_;
};

}  // namespace heddle::device::cpu
