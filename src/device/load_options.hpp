// Options of loading a module.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "heddle/checks.hpp"
#include "heddle/placed_variables.hpp"

namespace heddle::device {

struct LoadOptions {
  Checks check = false;    // look for mistakes of kernels; devices that cannot do that throw unsupported
  bool stoppable = false;  // for Queue::launch_stoppable; on GPUs compiling takes up to twice as long
  // For launches of a part of a grid; without it, GPUs refuse them. GPUs compile the code for these at a kernel's first
  // such launch, or with the module if it must be in the module (ptx/rewrite/single_kernel.hpp states when).
  bool ranges = true;
  // The same kernels in the driver's form, a cubin or a fat binary; empty: none. GPUs run it instead of compiling the
  // PTX, unless the module must contain more code. It is not kept.
  std::span<const std::byte> machine_code = {};
  // Variables of the module that are in host memory, on devices with managed_memory; other devices throw unsupported.
  // Their values stay, except that address_of_device is replaced where an initial value is an address. Names that the
  // module does not have are ignored. Checks of accesses know the memory if it is registered (register_host). The list
  // is not kept.
  std::span<const PlacedVariable> placed = {};
  // Where somebody has asked for the module's launches, as "jobs.toml:12": what is found of them begins with it.
  std::string place = {};
};

}  // namespace heddle::device
