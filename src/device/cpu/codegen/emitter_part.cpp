// Builders of IR that all parts of the emitter use.
#include "device/cpu/codegen/emitter_part.hpp"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include "heddle/error.hpp"
#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using Kind = ValueForm::Kind;

EmitterPart::EmitterPart(FunctionContext& context)
    : context_(context),
      kernel_(context.kernel),
      facts_(context.facts),
      function_(context.facts.function),
      inputs_(context.inputs),
      b_(context.builder) {}

llvm::Type* EmitterPart::vector_of(llvm::Type* element) const {
  return lanes() == 1 ? element : llvm::FixedVectorType::get(element, lanes());
}

llvm::Type* EmitterPart::wide_like(Value* value) const {
  return value->getType()->isVectorTy() ? vector_of(kernel_.abi.i64) : kernel_.abi.i64;
}

llvm::Value* EmitterPart::splat(Value* scalar) { return lanes() == 1 ? scalar : b_.CreateVectorSplat(lanes(), scalar); }

llvm::Value* EmitterPart::lane_numbers(llvm::IntegerType* type) {
  std::vector<llvm::Constant*> numbers;
  for (unsigned lane = 0; lane < lanes(); ++lane) numbers.push_back(llvm::ConstantInt::get(type, lane));
  return llvm::ConstantVector::get(numbers);
}

llvm::Value* EmitterPart::ramp(Value* base, const std::vector<std::int64_t>& offsets) {
  if (lanes() == 1) return base;
  auto* type = llvm::cast<llvm::IntegerType>(base->getType());
  std::vector<llvm::Constant*> steps;
  for (std::int64_t offset : offsets)
    steps.push_back(llvm::ConstantInt::get(type, static_cast<std::uint64_t>(offset), true));
  return b_.CreateAdd(splat(base), llvm::ConstantVector::get(steps));
}

std::vector<std::int64_t> EmitterPart::lane_steps(std::int64_t bytes) const {
  std::vector<std::int64_t> steps;
  for (unsigned lane = 0; lane < lanes(); ++lane) steps.push_back(bytes * lane);
  return steps;
}

llvm::Value* EmitterPart::fit(Value* value, ptx::Type type) {
  const bool is_vector = value->getType()->isVectorTy();
  llvm::Type* wanted = carrier(kernel_.llvm, type, is_vector ? lanes() : 0);
  llvm::Type* have = value->getType();
  if (have == wanted) return value;
  const unsigned from = have->getScalarSizeInBits(), to = wanted->getScalarSizeInBits();
  if (from == to) return b_.CreateBitCast(value, wanted);
  const auto integer = [&](unsigned bits) -> llvm::Type* {
    llvm::Type* scalar = llvm::IntegerType::get(kernel_.llvm, bits);
    return is_vector ? vector_of(scalar) : scalar;
  };
  if (have->getScalarType()->isFloatingPointTy()) value = b_.CreateBitCast(value, integer(from));
  value = b_.CreateZExtOrTrunc(value, integer(to));
  return b_.CreateBitCast(value, wanted);
}

llvm::Value* EmitterPart::canonical_nan(Value* value) {
  llvm::Type* given = value->getType();
  llvm::Type* real = given->isVectorTy() ? vector_of(b_.getFloatTy()) : b_.getFloatTy();
  llvm::Type* integer = given->isVectorTy() ? vector_of(kernel_.abi.i32) : kernel_.abi.i32;
  Value* number = b_.CreateBitCast(value, real);
  Value* nan = llvm::ConstantInt::get(integer, 0x7fffffff);
  Value* settled = b_.CreateSelect(b_.CreateFCmpUNO(number, number), nan, b_.CreateBitCast(value, integer));
  return b_.CreateBitCast(settled, given);
}

llvm::Value* EmitterPart::first_active(Value* vector_value) {
  if (lanes() == 1) return vector_value;
  if (!context_.mask) return b_.CreateExtractElement(vector_value, std::uint64_t{0});
  Value* bits = mask_bits(context_.mask);
  Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getTrue());
  return b_.CreateExtractElement(vector_value, first);
}

llvm::Value* EmitterPart::last_active(Value* vector_value, Value* mask) {
  if (lanes() == 1) return vector_value;
  if (!mask) return b_.CreateExtractElement(vector_value, lanes() - 1);
  Value* bits = mask_bits(mask);
  Value* zeros = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b_.getFalse());
  Value* last = b_.CreateSub(llvm::ConstantInt::get(bits->getType(), lanes() - 1), zeros);
  return b_.CreateExtractElement(vector_value, last);
}

llvm::Value* EmitterPart::mask_bits(Value* mask) {
  if (lanes() == 1) return mask;
  return b_.CreateBitCast(mask, llvm::IntegerType::get(kernel_.llvm, lanes()));
}

llvm::Value* EmitterPart::any(Value* mask) {
  if (!mask) return b_.getTrue();
  Value* bits = mask_bits(mask);
  return b_.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0));
}

llvm::Value* EmitterPart::both(Value* a, Value* b) {
  if (!a) return b;
  if (!b) return a;
  return b_.CreateAnd(a, b);
}

llvm::Value* EmitterPart::full_mask() { return llvm::Constant::getAllOnesValue(vector_of(kernel_.abi.i1)); }

llvm::Value* EmitterPart::first_lane(Value* mask) {
  if (!mask || lanes() == 1) return b_.getInt32(0);
  return b_.CreateZExtOrTrunc(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_bits(mask), b_.getTrue()),
                              kernel_.abi.i32);
}

llvm::BasicBlock* EmitterPart::new_block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(kernel_.llvm, name, context_.function);
}

llvm::AllocaInst* EmitterPart::entry_alloca(llvm::Type* type, const llvm::Twine& name) {
  llvm::IRBuilder<> builder(context_.alloca_point);
  return builder.CreateAlloca(type, nullptr, name);
}

llvm::Value* EmitterPart::spill(Value* vector_value) {
  llvm::AllocaInst* place = entry_alloca(vector_value->getType(), "spill");
  b_.CreateStore(vector_value, place);
  return place;
}

llvm::Value* EmitterPart::element_at(Value* spilled, llvm::Type* element, Value* lane) {
  return b_.CreateLoad(element, element_pointer(spilled, element, lane));
}

llvm::Value* EmitterPart::element_pointer(Value* spilled, llvm::Type* element, Value* lane) {
  return b_.CreateGEP(element, spilled, b_.CreateZExt(lane, kernel_.abi.i64));
}

bool EmitterPart::results_scalar(const ptx::Instruction& inst) const {
  if (lanes() == 1) return true;
  bool scalar = true;
  const auto look_at = [&](std::uint32_t reg, const ptx::Slot&) {
    if (facts_.forms[reg].kind == Kind::varying) scalar = false;
  };
  ptx::for_each_def(inst, look_at);
  ptx::for_each_use(inst, look_at);
  return scalar;
}

bool EmitterPart::guarded_by_lanes(const ptx::Instruction& inst) const {
  return inst.guard.present && lanes() > 1 && facts_.forms[inst.guard.reg].kind != Kind::uniform;
}

void EmitterPart::set_location(const ptx::Instruction& inst) {
  if (context_.scope && inst.where.line)
    b_.SetCurrentDebugLocation(llvm::DILocation::get(kernel_.llvm, inst.where.line, 0, context_.scope));
}

void EmitterPart::refuse(const ptx::Instruction& inst, const std::string& why) const {
  std::string text = std::string(ptx::name(inst.opcode));
  for (Modifier modifier : inst.modifiers) text += "." + std::string(ptx::name(modifier));
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: PTX line {}: '{}': {}.", function_.name, inst.where.line, text, why));
}

}  // namespace heddle::device::cpu
