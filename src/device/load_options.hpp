// What a module is loaded for.
#pragma once

#include <cstddef>
#include <span>

#include "heddle/placed_variables.hpp"

namespace heddle::device {

struct LoadOptions {
  bool check = false;      // verify every access (devices that can; others refuse)
  bool stoppable = false;  // for Queue::launch_stoppable; on GPUs compiling takes up to twice as long
  // For launches of a part of a grid; without, GPUs refuse those. They compile what such launches need of a kernel when
  // the first is made, or with the module where it must be part of it (ptx/rewrite/single_kernel.hpp says when).
  bool ranges = true;
  // The same kernels as the driver takes them, a cubin or a fat binary; empty: none. GPUs run it in place of compiling
  // the PTX, unless more must be in the module. It is not kept.
  std::span<const std::byte> machine_code = {};
  // Variables of the module that lie where the host has them, on devices with managed_memory; others refuse. What is
  // there stays, but for address_of_device where an initial value is an address. Names that the module does not have
  // are passed over. The checker knows the memory when it is registered (register_host). It is not kept.
  std::span<const PlacedVariable> placed = {};
};

}  // namespace heddle::device
