// Arguments of a launch against the parameters of the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"

namespace heddle::runtime {

class KernelState;

// Throws invalid_argument, naming the kernel and the parameter, when the number of arguments, the size or kind of a
// value, the place of an array, or what is said of it does not fit. The kernel has been analysed.
struct ArgumentsFound {
  bool annotated = false;   // some of them: see access_of
  bool opaque = false;      // some are pointers to what is no array
  std::size_t largest = 0;  // bytes of the largest array that one is, or is a slice of
};
ArgumentsFound check_arguments(const KernelState& kernel, const KernelInfo& info, std::span<const Argument> arguments);

// What the launch does through the parameter, and whether it overwrites all bytes that it is given there. The arguments
// have been checked.
struct Use {
  Access access;
  bool overwrites;
};
Use annotated_use(const KernelState& state, const Parameter& parameter, std::size_t index, const Argument& argument);
inline Use use_of(const KernelState& state, const Parameter& parameter, std::size_t index, const Argument& argument) {
  if (argument.direction() == Direction::found && parameter.direction == Direction::found) [[likely]]
    return {parameter.access, false};
  return annotated_use(state, parameter, index, argument);
}

// Whether an array can be given for it.
bool takes_address(const Parameter& parameter);
// Bytes of the packed parameters.
std::size_t packed_bytes(const KernelInfo& kernel);
// Packs them, with the addresses that arrays have on the place. The arguments have been checked, and arrays acquired.
void pack_arguments(const KernelInfo& kernel, std::size_t place, std::span<const Argument> arguments,
                    std::span<std::byte> packed);

inline bool reads(Access access) { return access != Access::none && access != Access::write; }
inline bool writes(Access access) { return access != Access::none && access != Access::read; }

}  // namespace heddle::runtime
