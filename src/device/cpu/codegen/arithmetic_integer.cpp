// Integer arithmetic of 16, 32 and 64 bits and of packed 16-bit pairs.
#include "device/cpu/codegen/arithmetic_lowering.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Half;
using ptx::Opcode;
using ptx::Type;
namespace Intrinsic = llvm::Intrinsic;

namespace {

// The high half of a 64-bit product from 32-bit products, which vectors have; scalars have the instruction itself.
Value* high_product_64(Kit& kit, Value* x, Value* y, bool is_signed) {
  llvm::IRBuilder<>& b = kit.b;
  if (lanes_of(x) == 0) {
    Value* product = b.CreateMul(kit.resize(x, 128, is_signed), kit.resize(y, 128, is_signed));
    return b.CreateTrunc(b.CreateLShr(product, 64), x->getType());
  }
  constexpr std::uint64_t low = 0xffffffff;
  Value* x0 = b.CreateAnd(x, low);
  Value* x1 = b.CreateLShr(x, 32);
  Value* y0 = b.CreateAnd(y, low);
  Value* y1 = b.CreateLShr(y, 32);
  Value* middle = b.CreateAdd(b.CreateMul(x1, y0), b.CreateLShr(b.CreateMul(x0, y0), 32));
  Value* cross = b.CreateAdd(b.CreateMul(x0, y1), b.CreateAnd(middle, low));
  Value* high = b.CreateAdd(b.CreateAdd(b.CreateMul(x1, y1), b.CreateLShr(middle, 32)), b.CreateLShr(cross, 32));
  if (!is_signed) return high;
  high = b.CreateSub(high, b.CreateAnd(b.CreateAShr(x, 63), y));
  return b.CreateSub(high, b.CreateAnd(b.CreateAShr(y, 63), x));
}

Value* product(Kit& kit, Half half, Value* x, Value* y, bool is_signed) {
  llvm::IRBuilder<>& b = kit.b;
  const unsigned width = x->getType()->getScalarSizeInBits();
  if (half == Half::hi && width == 64) return high_product_64(kit, x, y, is_signed);
  if (half != Half::hi && half != Half::wide) return b.CreateMul(x, y);
  Value* full = b.CreateMul(kit.resize(x, 2 * width, is_signed), kit.resize(y, 2 * width, is_signed));
  return half == Half::wide ? full : b.CreateTrunc(b.CreateLShr(full, width), x->getType());
}

// The low 24 bits of both operands; bits 31..0 or 47..16 of their product.
Value* product_24(Kit& kit, Half half, Value* x, Value* y, bool is_signed) {
  llvm::IRBuilder<>& b = kit.b;
  const auto low24 = [&](Value* v) -> Value* {
    return is_signed ? b.CreateAShr(b.CreateShl(v, 8), 8) : b.CreateAnd(v, 0xffffff);
  };
  x = low24(x);
  y = low24(y);
  if (half != Half::hi) return b.CreateMul(x, y);
  Value* full = b.CreateMul(kit.resize(x, 64, is_signed), kit.resize(y, 64, is_signed));
  return b.CreateTrunc(b.CreateLShr(full, 16), x->getType());
}

Value* sum(Lowering& l, Value* x, Value* y) {
  return l.d.sat ? l.binary(Intrinsic::sadd_sat, x, y) : l.b.CreateAdd(x, y);
}

Value* difference_of(Kit& kit, Value* x, Value* y, bool is_signed) {
  Value* high = kit.binary(is_signed ? Intrinsic::smax : Intrinsic::umax, x, y);
  Value* low = kit.binary(is_signed ? Intrinsic::smin : Intrinsic::umin, x, y);
  return kit.b.CreateSub(high, low);
}

// Sum of the products of four bytes with four bytes, or of two 16-bit halves with two bytes, plus c.
Value* dot_product(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  const bool four = l.inst.opcode == Opcode::dp4a, a_signed = ptx::is_signed(l.d.type),
             b_signed = ptx::is_signed(l.d.type2);
  Value* x = l.use(0, Type::u32);
  Value* y = l.use(1, Type::u32);
  Value* result = l.use(2, Type::u32);
  const unsigned parts = four ? 4 : 2, x_width = 32 / parts, y_first = !four && l.d.half == Half::hi ? 2 : 0;
  const auto part = [&](Value* v, unsigned index, unsigned width, bool is_signed) {
    Value* top = b.CreateShl(v, 32 - width * (index + 1));
    return is_signed ? b.CreateAShr(top, 32 - width) : b.CreateLShr(top, 32 - width);
  };
  for (unsigned i = 0; i < parts; ++i) {
    Value* term = b.CreateMul(part(x, i, x_width, a_signed), part(y, y_first + i, 8, b_signed));
    result = b.CreateAdd(result, term);
  }
  return result;
}

Value* min_max(Lowering& l, Value* x, Value* y, bool is_signed) {
  const bool max = l.inst.opcode == Opcode::max;
  const Intrinsic::ID id =
      is_signed ? (max ? Intrinsic::smax : Intrinsic::smin) : (max ? Intrinsic::umax : Intrinsic::umin);
  Value* result = l.binary(id, x, y);
  return l.d.relu ? l.binary(Intrinsic::smax, result, Kit::number(result, 0)) : result;
}

Value* lower_one(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  const Type type = l.d.type;
  const bool is_signed = ptx::is_signed(type);
  Value* x = l.use(0, type);
  if (l.inst.opcode == Opcode::neg) return b.CreateNeg(x);
  if (l.inst.opcode == Opcode::abs) return b.CreateIntrinsic(Intrinsic::abs, {x->getType()}, {x, b.getFalse()});
  Value* y = l.use(1, type);
  switch (l.inst.opcode) {
    case Opcode::add: return sum(l, x, y);
    case Opcode::sub: return l.d.sat ? l.binary(Intrinsic::ssub_sat, x, y) : b.CreateSub(x, y);
    case Opcode::mul: return product(l, l.d.half, x, y, is_signed);
    case Opcode::mul24: return product_24(l, l.d.half, x, y, is_signed);
    case Opcode::mad24: return sum(l, product_24(l, l.d.half, x, y, is_signed), l.use(2, type));
    case Opcode::sad: return b.CreateAdd(difference_of(l, x, y, is_signed), l.use(2, type));
    case Opcode::min:
    case Opcode::max: return min_max(l, x, y, is_signed);
    case Opcode::mad: {
      Value* p = product(l, l.d.half, x, y, is_signed);
      return sum(l, p, l.cast(l.operands[2], p->getType()));
    }
    default: l.refuse("the CPU device has no such integer operation");
  }
}

// add, min and max of two 16-bit integers in 32 bits.
Value* lower_packed(Lowering& l) {
  const Type part = ptx::element(l.d.type);
  llvm::Type* part_type = l.b.getIntNTy(ptx::bit_width(part));
  Value* x = l.unpack(l.use(0, l.d.type), part_type);
  Value* y = l.unpack(l.use(1, l.d.type), part_type);
  Value* result = l.inst.opcode == Opcode::add ? l.b.CreateAdd(x, y) : min_max(l, x, y, ptx::is_signed(part));
  return l.pack(result, l.carrier_of(l.d.type));
}

struct Sum {
  Value* value;
  Value* carry;
};

Sum add_with_carry(llvm::IRBuilder<>& b, Value* x, Value* y, Value* carry_in) {
  Value* sum = b.CreateAdd(x, y);
  Value* carry = b.CreateICmpULT(sum, x);
  if (!carry_in) return {sum, carry};
  Value* total = b.CreateAdd(sum, b.CreateZExt(carry_in, sum->getType()));
  return {total, b.CreateOr(carry, b.CreateICmpULT(total, sum))};
}

// x - y is x + ~y + 1: without a carry in, one more is taken away. The carry out says that nothing was borrowed, as on
// GPUs (the opposite of the ISA's borrow, which shows only where an addition reads what a subtraction left).
Sum subtract_with_carry(llvm::IRBuilder<>& b, Value* x, Value* y, Value* carry_in) {
  if (!carry_in) return {b.CreateSub(x, y), b.CreateICmpUGE(x, y)};
  return add_with_carry(b, x, b.CreateNot(y), carry_in);
}

}  // namespace

Values lower_integer(Lowering& l) {
  if (l.inst.opcode == Opcode::dp4a || l.inst.opcode == Opcode::dp2a) return {dot_product(l)};
  return {ptx::element_count(l.d.type) > 1 ? lower_packed(l) : lower_one(l)};
}

Values lower_carry(Lowering& l) {
  const Type type = l.d.type;
  const bool reads = l.inst.opcode == Opcode::addc || l.inst.opcode == Opcode::subc || l.inst.opcode == Opcode::madc;
  Value* x = l.use(0, type);
  Value* y = l.use(1, type);
  Value* carry_in = nullptr;
  if (reads) carry_in = l.carry ? l.carry : llvm::ConstantInt::getFalse(l.int_type(1, x));
  Sum result{};
  switch (l.inst.opcode) {
    case Opcode::sub:
    case Opcode::subc: result = subtract_with_carry(l.b, x, y, carry_in); break;
    case Opcode::mad:
    case Opcode::madc:
      result = add_with_carry(l.b, product(l, l.d.half, x, y, ptx::is_signed(type)), l.use(2, type), carry_in);
      break;
    default: result = add_with_carry(l.b, x, y, carry_in); break;
  }
  if (l.d.carry_out) l.carry = result.carry;
  return {result.value};
}

}  // namespace heddle::device::cpu
