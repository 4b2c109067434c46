// Arguments of a launch against the parameters of the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"

namespace heddle::runtime {

// Throws invalid_argument, naming the kernel and the parameter, when the number of arguments, the size or kind of a
// value, or the place of an array does not fit.
void check_arguments(const KernelInfo& kernel, std::span<const Argument> arguments);

// Bytes of the packed parameters.
std::size_t packed_bytes(const KernelInfo& kernel);
// Packs them. `addresses` holds for each argument that is an array its address on the device (offset included). The
// arguments have been checked.
void pack_arguments(const KernelInfo& kernel, std::span<const Argument> arguments,
                    std::span<const std::uint64_t> addresses, std::span<std::byte> packed);

inline bool reads(Access access) { return access != Access::none && access != Access::write; }
inline bool writes(Access access) { return access != Access::none && access != Access::read; }

}  // namespace heddle::runtime
