#include "device/cpu/codegen/arithmetic_kit.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using llvm::Type;
using llvm::Value;
using llvm::Intrinsic::ID;

unsigned lanes_of(const Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? vector->getNumElements() : 0;
}

Type* Kit::shaped(Type* scalar, const Value* like) const {
  const unsigned lanes = lanes_of(like);
  return lanes == 0 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
}

llvm::Constant* Kit::number(const Value* like, std::uint64_t value) {
  return llvm::ConstantInt::get(like->getType(), value);
}

llvm::Constant* Kit::real(const Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

Value* Kit::bits(Value* value) {
  Type* scalar = value->getType()->getScalarType();
  if (scalar->isIntegerTy()) return value;
  return b.CreateBitCast(value, int_type(scalar->getPrimitiveSizeInBits(), value));
}

Value* Kit::as_float(Value* value) {
  Type* scalar = value->getType()->getScalarType();
  if (scalar->isFloatingPointTy()) return value;
  return b.CreateBitCast(value, scalar->getIntegerBitWidth() == 64 ? f64_type(value) : f32_type(value));
}

Value* Kit::cast(Value* value, Type* to) {
  if (value->getType() == to) return value;
  const unsigned width = to->getScalarSizeInBits();
  Value* integer = b.CreateZExtOrTrunc(bits(value), int_type(width, value));
  return b.CreateBitCast(integer, to);
}

Value* Kit::resize(Value* value, unsigned width, bool is_signed) {
  Type* to = int_type(width, value);
  return is_signed ? b.CreateSExtOrTrunc(value, to) : b.CreateZExtOrTrunc(value, to);
}

Value* Kit::unpack(Value* value, Type* part) {
  const unsigned whole = value->getType()->getScalarSizeInBits(), each = part->getPrimitiveSizeInBits();
  const unsigned lanes = std::max(lanes_of(value), 1u);
  return b.CreateBitCast(value, llvm::FixedVectorType::get(part, lanes * (whole / each)));
}

Value* Kit::pack(Value* parts, Type* packed) { return b.CreateBitCast(parts, packed); }

Value* Kit::part(Value* parts, unsigned index, unsigned count) {
  const unsigned lanes = lanes_of(parts) / count;
  llvm::SmallVector<int, 32> mask;
  for (unsigned i = 0; i < lanes; ++i) mask.push_back(static_cast<int>(i * count + index));
  return b.CreateShuffleVector(parts, mask);
}

Value* Kit::call(ID id, llvm::ArrayRef<Type*> types, llvm::ArrayRef<Value*> arguments) {
  return b.CreateIntrinsic(id, types, arguments);
}

namespace {

Value* piece_of(llvm::IRBuilder<>& b, Value* value, unsigned first, unsigned piece) {
  const unsigned lanes = lanes_of(value);
  if (lanes == piece) return value;
  if (lanes == 0) {
    auto* vector = llvm::FixedVectorType::get(value->getType(), piece);
    return b.CreateInsertElement(llvm::PoisonValue::get(vector), value, std::uint64_t{0});
  }
  llvm::SmallVector<int, 16> mask;
  for (unsigned i = 0; i < piece; ++i) mask.push_back(first + i < lanes ? static_cast<int>(first + i) : -1);
  return b.CreateShuffleVector(value, mask);
}

}  // namespace

Value* Kit::in_pieces(llvm::ArrayRef<Value*> arguments, unsigned piece,
                      llvm::function_ref<Value*(llvm::ArrayRef<Value*>)> f) {
  const unsigned lanes = lanes_of(arguments[0]);
  llvm::SmallVector<Value*, 4> results;
  for (unsigned first = 0; first < std::max(lanes, 1u); first += piece) {
    llvm::SmallVector<Value*, 3> pieces;
    for (Value* argument : arguments) pieces.push_back(piece_of(b, argument, first, piece));
    results.push_back(f(pieces));
  }
  if (lanes == 0) return b.CreateExtractElement(results[0], std::uint64_t{0});
  Value* whole = llvm::concatenateVectors(b, results);
  if (lanes_of(whole) == lanes) return whole;
  llvm::SmallVector<int, 16> mask;
  for (unsigned i = 0; i < lanes; ++i) mask.push_back(static_cast<int>(i));
  return b.CreateShuffleVector(whole, mask);
}

Value* Kit::clamp_signed(Value* value, std::int64_t low, std::int64_t high) {
  value = binary(llvm::Intrinsic::smax, value, number(value, static_cast<std::uint64_t>(low)));
  return binary(llvm::Intrinsic::smin, value, number(value, static_cast<std::uint64_t>(high)));
}

namespace {

// The amount when it is the same known number in all lanes.
const llvm::APInt* known(Value* value) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return &constant->getValue();
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (!constant || !constant->getType()->isVectorTy()) return nullptr;
  auto* splat = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getSplatValue());
  return splat ? &splat->getValue() : nullptr;
}

}  // namespace

Value* Kit::shift_left(Value* value, Value* amount) {
  const unsigned width = value->getType()->getScalarSizeInBits();
  if (const llvm::APInt* n = known(amount)) return n->uge(width) ? number(value, 0) : b.CreateShl(value, amount);
  Value* fits = b.CreateICmpULT(amount, number(amount, width));
  return b.CreateSelect(fits, b.CreateShl(value, amount), number(value, 0));
}

Value* Kit::shift_right(Value* value, Value* amount, bool is_signed) {
  const unsigned width = value->getType()->getScalarSizeInBits();
  if (is_signed) {
    if (const llvm::APInt* n = known(amount)) return b.CreateAShr(value, n->uge(width) ? width - 1 : n->getZExtValue());
    return b.CreateAShr(value, binary(llvm::Intrinsic::umin, amount, number(amount, width - 1)));
  }
  if (const llvm::APInt* n = known(amount)) return n->uge(width) ? number(value, 0) : b.CreateLShr(value, amount);
  Value* fits = b.CreateICmpULT(amount, number(amount, width));
  return b.CreateSelect(fits, b.CreateLShr(value, amount), number(value, 0));
}

Value* Kit::low_ones(Value* count) { return b.CreateNot(shift_left(number(count, ~std::uint64_t{0}), count)); }

}  // namespace heddle::device::cpu
