// The loops over the blocks of a range and the warps of a block, around the code of one warp, for kernels whose warps
// never wait for one another: any order is right, so the one that suits the caches is taken.
#pragma once

#include <cstdint>
#include <functional>

#include <llvm/IR/IRBuilder.h>

namespace heddle::device::cpu {

class BlockLoops {
 public:
  // `begin` and `end` (i64): the range of linear block numbers; `grid` (i32): blocks in each dimension. Code is
  // inserted at the builder.
  BlockLoops(llvm::IRBuilder<>& builder, llvm::Value* const grid[3], llvm::Value* begin, llvm::Value* end);

  // Emits one warp: given the block's id and the linear number of the warp's first thread (i32), at the builder.
  using EmitWarp = std::function<void(llvm::Value* const block_id[3], llvm::Value* first_thread)>;

  // Block after block, as a tiled kernel wants it: the threads of a block work on neighbouring data.
  void by_blocks(std::uint32_t threads, unsigned lanes, const EmitWarp& warp);

  // Row after row: for `row_threads` threads of every block (a row or two), all blocks that stand side by side in x,
  // before the next row. A kernel that only passes over arrays then reads and writes them in the order they lie in
  // memory, which the hardware's prefetchers follow.
  void by_rows(std::uint32_t threads, std::uint32_t row_threads, unsigned lanes, const EmitWarp& warp);

 private:
  struct Loop {
    llvm::BasicBlock *head = nullptr, *after = nullptr, *before = nullptr;
    llvm::PHINode* index = nullptr;
  };
  Loop start(llvm::Value* from);  // the loop runs once at least
  void finish(const Loop& loop, llvm::Value* step, llvm::Value* limit);
  llvm::BasicBlock* block(const char* name);
  void split(llvm::Value* number, llvm::Value* id[3]);  // linear number to block id

  llvm::IRBuilder<>& b_;
  llvm::Value *grid_[3], *begin_, *end_;
};

}  // namespace heddle::device::cpu
