// What the blocks of a kernel execute, counted exactly on any device (ptx/rewrite/count_instructions.hpp).
#pragma once

#include "batch/kernel.hpp"

namespace heddle::batch {

struct BlockCounts {
  double instructions = 0;  // of the threads of a block, on the mean
  double accesses = 0;      // of these, those of global, local and generic memory
  double warp_instructions(unsigned warp = 32) const { return instructions / warp; }
  double memory_ratio() const { return instructions > 0 ? accesses / instructions : 0; }
};

// Runs blocks [0, blocks) of a copy of the kernel that counts, with arrays of its own. `spec` is the kernel's.
// Deterministic for kernels whose control flow is. Throws unsupported for kernels that cannot count, with the reason,
// and what launches throw.
BlockCounts count_blocks(device::Device& device, const KernelSpec& spec, std::uint64_t blocks);

}  // namespace heddle::batch
