#include "device/cpu/codegen/emitter_branches.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/MDBuilder.h>

namespace heddle::device::cpu {

void Branches::when_any(Value* mask, const std::function<void()>& emit) {
  if (!mask) return emit();
  auto* then = new_block("some");
  auto* after = new_block("after");
  b_.CreateCondBr(any(mask), then, after);
  b_.SetInsertPoint(then);
  registers_.in_branch(emit);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

llvm::Value* Branches::either_way(Value* ok, const std::function<Value*()>& fast, const std::function<Value*()>& slow) {
  const auto as_list = [](Value* value) { return value ? std::vector<Value*>{value} : std::vector<Value*>{}; };
  const auto values = either_way_all(ok, [&] { return as_list(fast()); }, [&] { return as_list(slow()); });
  return values.empty() ? nullptr : values[0];
}

std::vector<llvm::Value*> Branches::either_way_all(Value* ok, const std::function<std::vector<Value*>()>& fast,
                                                   const std::function<std::vector<Value*>()>& slow) {
  if (!ok) return fast();
  auto* fast_block = new_block("fast");
  auto* slow_block = new_block("slow");
  auto* done = new_block("done");
  b_.CreateCondBr(ok, fast_block, slow_block, llvm::MDBuilder(kernel_.llvm).createBranchWeights(1000, 1));
  b_.SetInsertPoint(fast_block);
  std::vector<Value*> quick;
  registers_.in_branch([&] { quick = fast(); });
  auto* quick_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(slow_block);
  std::vector<Value*> careful;
  registers_.in_branch([&] { careful = slow(); });
  auto* careful_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  std::vector<Value*> merged;
  for (std::size_t i = 0; i < quick.size(); ++i) {
    auto* value = b_.CreatePHI(quick[i]->getType(), 2);
    value->addIncoming(quick[i], quick_end);
    value->addIncoming(careful[i], careful_end);
    merged.push_back(value);
  }
  return merged;
}

void Branches::for_each_lane(Value* mask, const std::function<void(Value*)>& emit) {
  if (lanes() == 1) return emit(b_.getInt32(0));
  Value* bits = mask_bits(mask_or_full(mask));
  llvm::Type* type = bits->getType();
  auto* before = b_.GetInsertBlock();
  auto* turn = new_block("lane");
  auto* done = new_block("lanes_done");
  if (mask)
    b_.CreateCondBr(b_.CreateICmpNE(bits, llvm::ConstantInt::get(type, 0)), turn, done);
  else
    b_.CreateBr(turn);
  b_.SetInsertPoint(turn);
  auto* rest = b_.CreatePHI(type, 2);
  rest->addIncoming(bits, before);
  Value* lane =
      b_.CreateZExtOrTrunc(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b_.getTrue()), kernel_.abi.i32);
  registers_.in_branch([&] { emit(lane); });
  Value* fewer = b_.CreateAnd(rest, b_.CreateSub(rest, llvm::ConstantInt::get(type, 1)));
  rest->addIncoming(fewer, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpNE(fewer, llvm::ConstantInt::get(type, 0)), turn, done);
  b_.SetInsertPoint(done);
}

}  // namespace heddle::device::cpu
