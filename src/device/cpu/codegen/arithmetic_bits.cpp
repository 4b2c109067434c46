// Logic, shifts, and counting and finding bits.
#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
namespace Intrinsic = llvm::Intrinsic;

namespace {

// Logic functions of two inputs x and y as 4-bit tables: bit 2x+y of the table is the result.
Value* logic2(llvm::IRBuilder<>& b, unsigned table, Value* x, Value* y) {
  Value* ones = llvm::Constant::getAllOnesValue(x->getType());
  switch (table & 0xf) {
    case 0x0: return llvm::Constant::getNullValue(x->getType());
    case 0x1: return b.CreateNot(b.CreateOr(x, y));
    case 0x2: return b.CreateAnd(b.CreateNot(x), y);
    case 0x3: return b.CreateNot(x);
    case 0x4: return b.CreateAnd(x, b.CreateNot(y));
    case 0x5: return b.CreateNot(y);
    case 0x6: return b.CreateXor(x, y);
    case 0x7: return b.CreateNot(b.CreateAnd(x, y));
    case 0x8: return b.CreateAnd(x, y);
    case 0x9: return b.CreateNot(b.CreateXor(x, y));
    case 0xa: return y;
    case 0xb: return b.CreateOr(b.CreateNot(x), y);
    case 0xc: return x;
    case 0xd: return b.CreateOr(x, b.CreateNot(y));
    case 0xe: return b.CreateOr(x, y);
    default: return ones;
  }
}

// The two halves of a three-input table when its input number `which` (0: a, the most significant) is 0 and 1.
struct Halves {
  unsigned zero = 0, one = 0;
};
Halves cofactors(unsigned table, unsigned which) {
  Halves halves;
  unsigned next[2] = {0, 0};
  for (unsigned row = 0; row < 8; ++row) {
    const bool set = (row >> (2 - which)) & 1;
    unsigned& half = set ? halves.one : halves.zero;
    half |= ((table >> row) & 1) << next[set]++;
  }
  return halves;
}

// How good it is to expand by an input: the fewer operations, the lower.
unsigned expansion_cost(Halves h) {
  if (h.zero == h.one) return 0;
  if (h.zero == 0 || h.one == 0 || h.zero == 0xf || h.one == 0xf || (h.zero ^ h.one) == 0xf) return 1;
  return 2;
}

Value* logic3(llvm::IRBuilder<>& b, unsigned table, Value* const (&in)[3]) {
  unsigned best = 0;
  for (unsigned which = 1; which < 3; ++which)
    if (expansion_cost(cofactors(table, which)) < expansion_cost(cofactors(table, best))) best = which;
  const Halves h = cofactors(table, best);
  Value* s = in[best];
  Value* x = in[best == 0 ? 1 : 0];
  Value* y = in[best == 2 ? 1 : 2];
  if (h.zero == h.one) return logic2(b, h.zero, x, y);
  if (h.zero == 0) return b.CreateAnd(s, logic2(b, h.one, x, y));
  if (h.one == 0) return b.CreateAnd(b.CreateNot(s), logic2(b, h.zero, x, y));
  if (h.zero == 0xf) return b.CreateOr(b.CreateNot(s), logic2(b, h.one, x, y));
  if (h.one == 0xf) return b.CreateOr(s, logic2(b, h.zero, x, y));
  if ((h.zero ^ h.one) == 0xf) return b.CreateXor(s, logic2(b, h.zero, x, y));
  return b.CreateXor(logic2(b, h.zero, x, y), b.CreateAnd(s, logic2(b, h.zero ^ h.one, x, y)));
}

// lop3.b32 d, a, b, c, table  or  lop3.BoolOp.b32 d|p, a, b, c, table, q
Values lower_lop3(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  Value* const in[3] = {l.use(0, Type::b32), l.use(1, Type::b32), l.use(2, Type::b32)};
  Value* result = logic3(b, static_cast<unsigned>(l.immediate(3)) & 0xff, in);
  if (l.d.bool_op == ptx::BoolOp::none) return {result};
  Value* p = b.CreateICmpNE(result, Kit::number(result, 0));
  Value* q = l.use(4, Type::pred);
  return {result, l.d.bool_op == ptx::BoolOp::or_ ? b.CreateOr(p, q) : b.CreateAnd(p, q)};
}

Value* funnel_shift(Lowering& l) {
  Value* low = l.use(0, Type::b32);
  Value* high = l.use(1, Type::b32);
  Value* amount = l.use(2, Type::u32);
  const bool left = l.inst.has(Modifier::l);
  Value* shifted = l.call(left ? Intrinsic::fshl : Intrinsic::fshr, {low->getType()}, {high, low, amount});
  if (l.inst.has(Modifier::wrap)) return shifted;
  return l.b.CreateSelect(l.b.CreateICmpUGT(amount, Kit::number(amount, 31)), left ? low : high, shifted);
}

// The amount is 32 bits wide whatever the type: brought to the width of the value without losing that it is large.
Value* shift_amount(Lowering& l, Value* value) {
  Value* amount = l.use(1, Type::u32);
  const unsigned width = value->getType()->getScalarSizeInBits();
  if (width < 32) amount = l.binary(Intrinsic::umin, amount, Kit::number(amount, width));
  return l.resize(amount, width, false);
}

Value* leading_zeros(Lowering& l, Value* value) {
  return l.b.CreateIntrinsic(Intrinsic::ctlz, {value->getType()}, {value, l.b.getFalse()});
}

Value* find_highest(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  Value* value = l.use(0, l.d.type);
  const unsigned width = ptx::bit_width(l.d.type);
  if (ptx::is_signed(l.d.type)) value = b.CreateXor(value, b.CreateAShr(value, width - 1));
  Value* zeros = leading_zeros(l, value);
  Value* place = l.resize(b.CreateSub(Kit::number(zeros, width - 1), zeros), 32, true);  // -1 for no bit at all
  if (!l.inst.has(Modifier::shiftamt)) return place;
  Value* none = b.CreateICmpEQ(value, Kit::number(value, 0));
  return b.CreateSelect(none, Kit::number(place, 0xffffffff), l.resize(zeros, 32, false));
}

Value* find_nth_set(Lowering& l) {
  SoftCode code;
  code.opcode = Opcode::fns;
  return l.soft(SoftFunction::find_nth_set, code.packed(), l.carrier_of(Type::u32),
                {l.use(0, Type::b32), l.use(1, Type::b32), l.use(2, Type::s32)});
}

Value* lower_one(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  switch (l.inst.opcode) {
    case Opcode::shf: return funnel_shift(l);
    case Opcode::bfind: return find_highest(l);
    case Opcode::fns: return find_nth_set(l);
    default: break;
  }
  Value* x = l.use(0, l.d.type);
  switch (l.inst.opcode) {
    case Opcode::and_: return b.CreateAnd(x, l.use(1, l.d.type));
    case Opcode::or_: return b.CreateOr(x, l.use(1, l.d.type));
    case Opcode::xor_: return b.CreateXor(x, l.use(1, l.d.type));
    case Opcode::not_: return b.CreateNot(x);
    case Opcode::cnot: return b.CreateZExt(b.CreateICmpEQ(x, Kit::number(x, 0)), x->getType());
    case Opcode::shl: return l.shift_left(x, shift_amount(l, x));
    case Opcode::shr: return l.shift_right(x, shift_amount(l, x), ptx::is_signed(l.d.type));
    case Opcode::brev: return l.unary(Intrinsic::bitreverse, x);
    case Opcode::clz: return l.resize(leading_zeros(l, x), 32, false);
    case Opcode::popc: return l.resize(l.unary(Intrinsic::ctpop, x), 32, false);
    default: l.refuse("the CPU device has no such bit operation");
  }
}

}  // namespace

Values lower_bits(Lowering& l) {
  if (l.inst.opcode == Opcode::lop3) return lower_lop3(l);
  return {lower_one(l)};
}

}  // namespace heddle::device::cpu
