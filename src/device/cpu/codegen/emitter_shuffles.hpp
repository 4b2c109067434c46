// Shuffles between vectors of memory's order and vectors of one element a lane.
#pragma once

#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace heddle::device::cpu {

std::vector<int> numbers(unsigned first, unsigned count);  // first, first + 1, ...
llvm::Value* concatenate(llvm::IRBuilder<>& b, std::vector<llvm::Value*> parts);
// Each lane's bit of a mask, `count` times.
llvm::Value* repeated(llvm::IRBuilder<>& b, llvm::Value* mask, unsigned count);
// Every count-th element of `all`, from each of the first `count` on.
std::vector<llvm::Value*> picked(llvm::IRBuilder<>& b, llvm::Value* all, unsigned count);
// The other way: lane 0's element of each value, then lane 1's.
llvm::Value* woven(llvm::IRBuilder<>& b, const std::vector<llvm::Value*>& values);

inline constexpr unsigned shuffle_block_bytes = 16;  // shuffles within so many bytes cost least

// From one row of `count` elements of `bytes` bytes a lane to `count` vectors of one element a lane. A row is an
// integer or, where it is as long as a block of shuffles, a vector of elements.
std::vector<llvm::Value*> transposed(llvm::IRBuilder<>& b, const std::vector<llvm::Value*>& rows, unsigned bytes,
                                     unsigned count);

}  // namespace heddle::device::cpu
