#include "device/cpu/codegen/block_loops.hpp"

namespace heddle::device::cpu {

using llvm::Value;

namespace {

// Blocks side by side that by_rows() takes together: enough for long runs, few enough that what neighbouring rows share
// stays in the second-level cache.
constexpr std::uint64_t row_blocks = 64;

}  // namespace

BlockLoops::BlockLoops(llvm::IRBuilder<>& builder, Value* const grid[3], Value* begin, Value* end)
    : b_(builder), grid_{grid[0], grid[1], grid[2]}, begin_(begin), end_(end) {}

llvm::BasicBlock* BlockLoops::block(const char* name) {
  return llvm::BasicBlock::Create(b_.getContext(), name, b_.GetInsertBlock()->getParent());
}

BlockLoops::Loop BlockLoops::start(Value* from) {
  Loop loop{block("loop"), block("after"), b_.GetInsertBlock(), nullptr};
  b_.CreateBr(loop.head);
  b_.SetInsertPoint(loop.head);
  loop.index = b_.CreatePHI(from->getType(), 2);
  loop.index->addIncoming(from, loop.before);
  return loop;
}

void BlockLoops::finish(const Loop& loop, Value* step, Value* limit) {
  Value* next = b_.CreateAdd(loop.index, step);
  loop.index->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, limit), loop.head, loop.after);
  b_.SetInsertPoint(loop.after);
}

void BlockLoops::split(Value* number, Value* id[3]) {
  Value *wide_x = b_.CreateZExt(grid_[0], b_.getInt64Ty()), *wide_y = b_.CreateZExt(grid_[1], b_.getInt64Ty());
  Value* rows = b_.CreateUDiv(number, wide_x);
  id[0] = b_.CreateTrunc(b_.CreateURem(number, wide_x), b_.getInt32Ty());
  id[1] = b_.CreateTrunc(b_.CreateURem(rows, wide_y), b_.getInt32Ty());
  id[2] = b_.CreateTrunc(b_.CreateUDiv(rows, wide_y), b_.getInt32Ty());
}

void BlockLoops::by_blocks(std::uint32_t threads, unsigned lanes, const EmitWarp& warp) {
  auto* some = block("some");
  auto* none = block("none");
  Value* first[3];
  split(begin_, first);
  b_.CreateCondBr(b_.CreateICmpULT(begin_, end_), some, none);
  b_.SetInsertPoint(some);
  const Loop blocks = start(begin_);
  // Ids are counted up: a division a block would cost more than many a block's work.
  llvm::PHINode* id[3];
  Value* block_id[3];
  for (unsigned d = 0; d < 3; ++d) {
    id[d] = b_.CreatePHI(b_.getInt32Ty(), 2);
    id[d]->addIncoming(first[d], blocks.before);
    block_id[d] = id[d];
  }
  const Loop warps = start(b_.getInt32(0));
  warp(block_id, warps.index);
  finish(warps, b_.getInt32(lanes), b_.getInt32(threads));

  Value* x = b_.CreateAdd(id[0], b_.getInt32(1));
  Value* row_done = b_.CreateICmpEQ(x, grid_[0]);
  Value* y = b_.CreateAdd(id[1], b_.CreateZExt(row_done, b_.getInt32Ty()));
  Value* plane_done = b_.CreateICmpEQ(y, grid_[1]);
  Value* z = b_.CreateAdd(id[2], b_.CreateZExt(plane_done, b_.getInt32Ty()));
  auto* last = b_.GetInsertBlock();
  id[0]->addIncoming(b_.CreateSelect(row_done, b_.getInt32(0), x), last);
  id[1]->addIncoming(b_.CreateSelect(plane_done, b_.getInt32(0), y), last);
  id[2]->addIncoming(z, last);
  finish(blocks, b_.getInt64(1), end_);
  b_.CreateBr(none);
  b_.SetInsertPoint(none);
}

void BlockLoops::by_rows(std::uint32_t threads, std::uint32_t row_threads, unsigned lanes, const EmitWarp& warp) {
  auto* some = block("some");
  auto* none = block("none");
  b_.CreateCondBr(b_.CreateICmpULT(begin_, end_), some, none);
  b_.SetInsertPoint(some);
  const Loop runs = start(begin_);
  Value* id[3];
  split(runs.index, id);
  Value* left_in_row = b_.CreateZExt(b_.CreateSub(grid_[0], id[0]), b_.getInt64Ty());
  Value* count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left_in_row, b_.CreateSub(end_, runs.index));
  count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, count, b_.getInt64(row_blocks));
  Value* stop = b_.CreateAdd(id[0], b_.CreateTrunc(count, b_.getInt32Ty()));

  const Loop rows = start(b_.getInt32(0));
  const Loop columns = start(id[0]);
  Value* block_id[3] = {columns.index, id[1], id[2]};
  const Loop warps = start(rows.index);
  warp(block_id, warps.index);
  finish(warps, b_.getInt32(lanes), b_.CreateAdd(rows.index, b_.getInt32(row_threads)));
  finish(columns, b_.getInt32(1), stop);
  finish(rows, b_.getInt32(row_threads), b_.getInt32(threads));
  finish(runs, count, end_);
  b_.CreateBr(none);
  b_.SetInsertPoint(none);
}

}  // namespace heddle::device::cpu
