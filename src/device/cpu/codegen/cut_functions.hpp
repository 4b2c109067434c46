// Functions that are too large for LLVM, whose passes take more than linear time, as many small ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Module.h>

namespace heddle::device::cpu {

// In LLVM's instructions, as the emitters leave them.
struct CutLimits {
  std::size_t whole;  // a function of no more than this stays whole
  std::size_t piece;  // what a piece of a larger one has at least; at most about twice that
};

struct CutResult {
  std::size_t pieces = 0;         // 0: nothing was cut
  std::size_t instructions = 0;   // of all functions that were cut
  std::uint64_t frame_bytes = 0;  // of the largest frame that pieces share
};

using EndBlocks = llvm::SmallPtrSet<const llvm::BasicBlock*, 4>;

// Each function above the limit that returns nothing becomes a loop that calls its pieces. A piece is a function: it
// runs from one of its blocks until control leaves it, and returns where it continues. What one piece computes and
// another one reads is in memory, in a frame that belongs to the loop. Time and code are in proportion to the function.
// Variables on the stack, which the function's first block makes, hold nothing when control leaves a block of `ends`.
CutResult cut_large_functions(llvm::Module& module, const CutLimits& limits, const EndBlocks& ends);

}  // namespace heddle::device::cpu
