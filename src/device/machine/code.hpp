// Decoded functions, which the core executes. Each instruction is decoded once, when its module is loaded.
#pragma once

#include <cstdint>
#include <vector>

#include "device/machine/layout.hpp"
#include "device/machine/operation.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::machine {

// A decoded function and the layout of its frame. The address of this object is the function's code address.
struct Code {
  const ptx::Function* function = nullptr;
  std::uint32_t index = 0;            // in Module::functions
  std::vector<Operation> operations;  // by instruction
  FrameLayout frame;
  bool uses_stack = false;                      // calls or alloca
  bool wide = false;                            // has 128-bit registers
  std::vector<std::uint64_t> static_addresses;  // of .global and .const variables of the body; 0 for others
};
// Decodes a function; leaves `static_addresses` empty.
Code decode(const ptx::Function& function, std::uint32_t index);

}  // namespace heddle::device::machine
