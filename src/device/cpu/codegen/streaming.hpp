// Stores that pass over an array once: kernels without loops that write what they do not read. When a launch writes
// more than the caches hold, such stores go past them, which saves reading each line before it is written.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::device::cpu {

struct StreamingStores {
  std::vector<bool> stores;           // by instruction
  std::uint32_t bytes_of_thread = 0;  // that one thread writes by them
  bool any() const { return bytes_of_thread != 0; }
};

// `definition` gives the only instruction that defines a register, or ~0. Kernels with loops, atomics, fences or
// barriers have none.
StreamingStores find_streaming_stores(const ptx::Function& function, const std::vector<std::uint32_t>& definition,
                                      bool has_loops);

}  // namespace heddle::device::cpu
