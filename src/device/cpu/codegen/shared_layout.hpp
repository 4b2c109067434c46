// Where .shared variables lie in a block's window.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::device::cpu {

// Static variables that the kernel can reach in the order of their declaration, those of the module first, then dynamic
// memory (extern .shared arrays) on a boundary of 16 bytes.
struct SharedLayout {
  std::map<std::uint32_t, std::uint64_t> module_variables, function_variables;  // variable index -> offset
  std::uint64_t static_bytes = 0;                                               // where dynamic memory begins
};

// `function` with its calls inlined, and the functions that it still calls.
SharedLayout shared_layout(const ptx::Module& module, const ptx::Function& function,
                           const std::vector<const ptx::Function*>& callees);

}  // namespace heddle::device::cpu
