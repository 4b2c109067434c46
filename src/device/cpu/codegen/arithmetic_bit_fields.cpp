// Bit fields and byte permutations.
#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
namespace Intrinsic = llvm::Intrinsic;

namespace {

// Operand i, of 32 bits, modulo 256, in the width of `like`.
Value* byte_operand(Lowering& l, unsigned i, Value* like) {
  return l.resize(l.b.CreateAnd(l.use(i, Type::u32), 0xff), like->getType()->getScalarSizeInBits(), false);
}

Value* extract(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  Value* x = l.use(0, l.d.type);
  Value* position = byte_operand(l, 1, x);
  Value* length = byte_operand(l, 2, x);
  const unsigned width = ptx::bit_width(l.d.type);
  if (!ptx::is_signed(l.d.type)) return b.CreateAnd(l.shift_right(x, position, false), l.low_ones(length));
  // The field's top bit (or the value's, where the field sticks out) goes to the top; shifting back replicates it.
  Value* end = l.binary(Intrinsic::umin, b.CreateAdd(position, length), Kit::number(x, width));
  Value* left = b.CreateSub(Kit::number(x, width), end);
  Value* result = l.shift_right(l.shift_left(x, left), b.CreateAdd(left, position), true);
  // A field that begins past the top leaves end = width and left = 0: all sign bits.
  return b.CreateSelect(b.CreateICmpEQ(length, Kit::number(length, 0)), Kit::number(x, 0), result);
}

Value* insert(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  Value* field = l.use(0, l.d.type);
  Value* base = l.use(1, l.d.type);
  Value* position = byte_operand(l, 2, base);
  Value* mask = l.shift_left(l.low_ones(byte_operand(l, 3, base)), position);
  return b.CreateOr(b.CreateAnd(base, b.CreateNot(mask)), b.CreateAnd(l.shift_left(field, position), mask));
}

// bmsk: ones from bit a, b of them; clamped to 32 or modulo 32.
Value* make_mask(Lowering& l) {
  Value* position = l.use(0, Type::u32);
  Value* count = l.use(1, Type::u32);
  if (l.inst.has(Modifier::wrap)) {
    position = l.b.CreateAnd(position, 31);
    count = l.b.CreateAnd(count, 31);
  }
  return l.shift_left(l.low_ones(count), position);
}

Value* extend_from(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  Value* x = l.use(0, Type::u32);
  Value* count = l.use(1, Type::u32);
  count =
      l.inst.has(Modifier::wrap) ? b.CreateAnd(count, 31) : l.binary(Intrinsic::umin, count, Kit::number(count, 32));
  if (!ptx::is_signed(l.d.type)) return b.CreateAnd(x, l.low_ones(count));
  Value* unused = b.CreateSub(Kit::number(count, 32), count);
  Value* result = l.shift_right(l.shift_left(x, unused), unused, true);
  return b.CreateSelect(b.CreateICmpEQ(count, Kit::number(count, 0)), Kit::number(x, 0), result);
}

// The selector that each of prmt's special modes stands for, for c = 0 ... 3, 16 bits each from the low end.
std::uint64_t mode_selectors(const ptx::Instruction& inst) {
  if (inst.has(Modifier::f4e)) return 0x6543543243213210;
  if (inst.has(Modifier::b4e)) return 0x0123701267015670;
  if (inst.has(Modifier::rc8)) return 0x3333222211110000;
  if (inst.has(Modifier::ecl)) return 0x3333322232113210;
  if (inst.has(Modifier::ecr)) return 0x3210221011100000;
  if (inst.has(Modifier::rc16)) return 0x3232101032321010;
  return 0;
}

Value* permute_known(Lowering& l, Value* x, Value* y, unsigned selector) {
  llvm::IRBuilder<>& b = l.b;
  Value* bytes[2] = {l.unpack(x, b.getInt8Ty()), l.unpack(y, b.getInt8Ty())};
  const unsigned total = lanes_of(bytes[0]);
  bool any_sign = false;
  llvm::SmallVector<int, 128> mask;
  llvm::SmallVector<llvm::Constant*, 128> wants_sign;
  for (unsigned i = 0; i < total; ++i) {
    const unsigned nibble = (selector >> (4 * (i % 4))) & 0xf, from = nibble & 7;
    mask.push_back(static_cast<int>((from < 4 ? 0 : total) + i / 4 * 4 + from % 4));
    wants_sign.push_back(b.getInt1(nibble & 8));
    any_sign |= (nibble & 8) != 0;
  }
  Value* result = b.CreateShuffleVector(bytes[0], bytes[1], mask);
  if (any_sign) result = b.CreateSelect(llvm::ConstantVector::get(wants_sign), b.CreateAShr(result, 7), result);
  return l.pack(result, x->getType());
}

Value* permute(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  Value* x = l.use(0, Type::b32);
  Value* y = l.use(1, Type::b32);
  Value* selector = l.use(2, Type::b32);
  std::uint64_t known = 0;
  const bool is_known = l.is_known(2, known);
  const std::uint64_t table = mode_selectors(l.inst);
  if (is_known) return permute_known(l, x, y, static_cast<unsigned>(table ? table >> (16 * (known & 3)) : known));
  Value* pool = b.CreateOr(b.CreateShl(l.resize(y, 64, false), 32), l.resize(x, 64, false));
  selector = l.resize(selector, 64, false);
  if (table) selector = b.CreateLShr(Kit::number(pool, table), b.CreateShl(b.CreateAnd(selector, 3), 4));
  Value* result = nullptr;
  for (unsigned i = 0; i < 4; ++i) {
    Value* nibble = b.CreateLShr(selector, 4 * i);
    Value* byte = b.CreateLShr(pool, b.CreateShl(b.CreateAnd(nibble, 7), 3));
    byte = b.CreateTrunc(byte, l.int_type(8, x));
    if (!table) {
      Value* sign = b.CreateICmpNE(b.CreateAnd(nibble, 8), Kit::number(nibble, 0));
      byte = b.CreateSelect(sign, b.CreateAShr(byte, 7), byte);
    }
    Value* placed = b.CreateShl(l.resize(byte, 32, false), 8 * i);
    result = result ? b.CreateOr(result, placed) : placed;
  }
  return result;
}

}  // namespace

Values lower_bit_fields(Lowering& l) {
  switch (l.inst.opcode) {
    case Opcode::bfe: return {extract(l)};
    case Opcode::bfi: return {insert(l)};
    case Opcode::bmsk: return {make_mask(l)};
    case Opcode::szext: return {extend_from(l)};
    default: return {permute(l)};
  }
}

}  // namespace heddle::device::cpu
