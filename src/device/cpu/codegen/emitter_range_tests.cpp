#include "device/cpu/codegen/emitter_range_tests.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Space;
using Kind = ValueForm::Kind;

RangeTests::Test RangeTests::test(Question question, const ptx::Operand& operand, Space space, unsigned bytes,
                                  Value* mask) {
  const bool windowed = space == Space::shared || space == Space::local;
  // Parameters of functions lie in frames, which are nobody's allocation.
  if (!std::has_single_bit(bytes) || space == Space::param) return {nullptr, KnownRanges::no_site, bytes};
  const bool is_exempt = question == Question::is_exempt;
  std::uint32_t& sites = is_exempt ? kernel_.exempt_sites : kernel_.checked_sites;
  const bool has_site = windowed || sites < KnownRanges::most_sites;
  const Lanes where = has_site ? lanes_of(operand, windowed, bytes) : Lanes{};
  if ((!where.low && !where.all) || where.span > std::numeric_limits<std::uint32_t>::max())
    return {nullptr, KnownRanges::no_site, bytes};
  Test test{where.ok, KnownRanges::no_site, static_cast<std::uint32_t>(where.span)};
  Value *offset = where.low ? where.low : where.all, *starts = nullptr;
  if (windowed) {
    starts = starts_in_window(question, space, where.span, bytes);
  } else {
    test.site = sites++;
    const auto field = [&](std::size_t at) {
      return b_.CreateLoad(kernel_.abi.i64, b_.CreateConstGEP1_64(kernel_.abi.i8, known_ranges(), at));
    };
    const std::size_t known =
        (is_exempt ? offsetof(KnownRanges, exempt) : offsetof(KnownRanges, sites)) + test.site * sizeof(KnownRange);
    Value* releases = b_.CreateLoad(
        kernel_.abi.pointer, b_.CreateConstGEP1_64(kernel_.abi.i8, known_ranges(), offsetof(KnownRanges, releases)));
    llvm::cast<llvm::Instruction>(releases)->setMetadata(llvm::LLVMContext::MD_invariant_load,
                                                         llvm::MDNode::get(kernel_.llvm, {}));
    Value* now = b_.CreateAlignedLoad(kernel_.abi.i64, releases, llvm::Align(8));
    test.passes = both(test.passes, b_.CreateICmpEQ(now, field(offsetof(KnownRanges, seen))));
    Value* begin = field(known + offsetof(KnownRange, begin));
    offset = b_.CreateSub(offset, offset->getType()->isVectorTy() ? splat(begin) : begin);
    starts = field(known + offsetof(KnownRange, starts));
  }
  Value* within = is_start(offset, starts, bytes);
  if (within->getType()->isVectorTy()) {
    Value* wrong = b_.CreateNot(within);
    if (mask) wrong = b_.CreateAnd(mask, wrong);
    within = b_.CreateNot(any(wrong));
  }
  test.passes = both(test.passes, within);
  return test;
}

RangeTests::Lanes RangeTests::lanes_of(const ptx::Operand& operand, bool windowed, unsigned bytes) {
  Lanes result;
  result.span = bytes;
  Value* step = b_.getInt64(static_cast<std::uint64_t>(operand.value));
  if (operand.base != OperandKind::reg) {
    Value* base = operand.base == OperandKind::symbol ? spaces_.symbol_address(operand.symbol, 0) : b_.getInt64(0);
    if (base->getType()->isVectorTy() || base->getType()->getScalarSizeInBits() != 64) return {};
    result.low = b_.CreateAdd(base, step);
    return result;
  }
  // A window's offsets may be in registers of 32 bits, of which the runtime takes the sign.
  const unsigned width = ptx::bit_width(function_.registers[operand.index].type);
  if (width != 64 && !windowed) return {};
  const auto wide = [&](Value* value) { return width == 64 ? value : b_.CreateSExt(value, wide_like(value)); };
  const ValueForm form = lanes() == 1 ? ValueForm{Kind::uniform} : facts_.forms[operand.index];
  Value* value = wide(registers_.read(operand.index));
  if (form.kind == Kind::varying) {
    result.all = b_.CreateAdd(value, splat(step));
    return result;
  }
  result.low = b_.CreateAdd(value, step);
  if (form.kind == Kind::uniform) return result;
  const auto offsets = facts_.lane_offsets(form);
  const auto [lowest, highest] = std::minmax_element(offsets.begin(), offsets.end());
  for (std::int64_t offset : offsets)
    if ((offset - *lowest) % bytes != 0) return {};  // not all of them are aligned
  for (std::uint32_t assumption : facts_.assumptions(operand.index))
    result.ok = both(result.ok, registers_.no_wrap(assumption));
  result.span += static_cast<std::uint64_t>(*highest - *lowest);
  result.low = b_.CreateAdd(result.low, b_.getInt64(static_cast<std::uint64_t>(*lowest)));
  return result;
}

llvm::Value* RangeTests::starts_in_window(Question question, Space space, std::uint64_t span, unsigned bytes) {
  if (space == Space::local) {
    const std::uint64_t window = facts_.memory.used_bytes;
    return b_.getInt64(window >= span ? (window - span) / bytes + 1 : 0);
  }
  Value* window = question == Question::is_exempt ? exempt_shared_bytes() : spaces_.shared_bytes();
  Value* starts =
      b_.CreateAdd(b_.CreateLShr(b_.CreateSub(window, b_.getInt64(span)), std::countr_zero(bytes)), b_.getInt64(1));
  return b_.CreateSelect(b_.CreateICmpUGE(window, b_.getInt64(span)), starts, b_.getInt64(0));
}

llvm::Value* RangeTests::is_start(Value* offset, Value* starts, unsigned bytes) {
  llvm::Type* type = offset->getType();
  if (bytes != 1)
    offset = b_.CreateIntrinsic(
        llvm::Intrinsic::fshr, {type},
        {offset, offset, llvm::ConstantInt::get(type, static_cast<std::uint64_t>(std::countr_zero(bytes)))});
  return b_.CreateICmpULT(offset, type->isVectorTy() ? splat(starts) : starts);
}

// Loaded once, where the function starts: a block keeps its table while it runs.
llvm::Value* RangeTests::known_ranges() {
  if (known_ranges_) return known_ranges_;
  llvm::IRBuilder<> builder(context_.alloca_point);
  const auto pointer = [&](Value* object, std::size_t offset) {
    return builder.CreateLoad(kernel_.abi.pointer, builder.CreateConstGEP1_64(kernel_.abi.i8, object, offset));
  };
  return known_ranges_ =
             pointer(pointer(inputs_.warp, offsetof(WarpContext, block)), offsetof(BlockContext, known_ranges));
}

// The runtime changes it while the block runs.
llvm::Value* RangeTests::exempt_shared_bytes() {
  if (!block_context_) {
    llvm::IRBuilder<> builder(context_.alloca_point);
    block_context_ = builder.CreateLoad(
        kernel_.abi.pointer, builder.CreateConstGEP1_64(kernel_.abi.i8, inputs_.warp, offsetof(WarpContext, block)));
  }
  return b_.CreateLoad(kernel_.abi.i64, b_.CreateConstGEP1_64(kernel_.abi.i8, block_context_,
                                                              offsetof(BlockContext, exempt_shared_bytes)));
}

}  // namespace heddle::device::cpu
