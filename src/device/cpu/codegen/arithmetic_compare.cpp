// Comparisons, selections and moves.
#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"
#include "heddle/error.hpp"

namespace heddle::device::cpu {

using llvm::CmpInst;
using llvm::Value;
using ptx::BoolOp;
using ptx::Compare;
using ptx::Opcode;
using ptx::Type;

namespace {

CmpInst::Predicate integer_predicate(Compare compare, bool is_signed) {
  switch (compare) {
    case Compare::eq: return CmpInst::ICMP_EQ;
    case Compare::ne: return CmpInst::ICMP_NE;
    case Compare::lt: return is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
    case Compare::le: return is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
    case Compare::gt: return is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
    case Compare::ge: return is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
    case Compare::lo: return CmpInst::ICMP_ULT;
    case Compare::ls: return CmpInst::ICMP_ULE;
    case Compare::hi: return CmpInst::ICMP_UGT;
    case Compare::hs: return CmpInst::ICMP_UGE;
    default: return CmpInst::BAD_ICMP_PREDICATE;
  }
}

CmpInst::Predicate float_predicate(Compare compare) {
  switch (compare) {
    case Compare::eq: return CmpInst::FCMP_OEQ;
    case Compare::ne: return CmpInst::FCMP_ONE;
    case Compare::lt: return CmpInst::FCMP_OLT;
    case Compare::le: return CmpInst::FCMP_OLE;
    case Compare::gt: return CmpInst::FCMP_OGT;
    case Compare::ge: return CmpInst::FCMP_OGE;
    case Compare::equ: return CmpInst::FCMP_UEQ;
    case Compare::neu: return CmpInst::FCMP_UNE;
    case Compare::ltu: return CmpInst::FCMP_ULT;
    case Compare::leu: return CmpInst::FCMP_ULE;
    case Compare::gtu: return CmpInst::FCMP_UGT;
    case Compare::geu: return CmpInst::FCMP_UGE;
    case Compare::num: return CmpInst::FCMP_ORD;
    case Compare::nan: return CmpInst::FCMP_UNO;
    default: return CmpInst::BAD_FCMP_PREDICATE;
  }
}

// The operand as something that compares: 16-bit formats widen exactly; packed ones become twice the lanes.
Value* comparable(Lowering& l, unsigned i, Type type) {
  const Type part = ptx::element(type);
  Value* value = l.use(i, type);
  if (part != type) value = l.unpack(value, l.b.getIntNTy(ptx::bit_width(part)));
  if (part == Type::f16) return l.f32_from_f16(l.flush16(part, value, l.d.ftz));
  if (part == Type::bf16) return l.f32_from_bf16(value);
  return part == Type::f32 ? l.flush(value, l.d.ftz) : value;
}

Value* compare(Lowering& l, Type type) {
  const bool real = ptx::is_float(type);
  const auto predicate = real ? float_predicate(l.d.compare) : integer_predicate(l.d.compare, ptx::is_signed(type));
  if (predicate == CmpInst::BAD_ICMP_PREDICATE || predicate == CmpInst::BAD_FCMP_PREDICATE)
    l.refuse("the comparison does not go with the type");
  return l.b.CreateCmp(predicate, comparable(l, 0, type), comparable(l, 1, type));
}

Value* combine(Lowering& l, Value* p, Value* q) {
  switch (l.d.bool_op) {
    case BoolOp::and_: return l.b.CreateAnd(p, q);
    case BoolOp::or_: return l.b.CreateOr(p, q);
    case BoolOp::xor_: return l.b.CreateXor(p, q);
    default: return p;
  }
}

// setp p|q, a, b, c: q is the opposite comparison, except for packed types, where it is that of the high half.
Values lower_setp(Lowering& l) {
  const Type type = l.d.type;
  Value* first = compare(l, type);
  Value* second = nullptr;
  if (ptx::element_count(type) > 1) {
    second = l.part(first, 1, 2);
    first = l.part(first, 0, 2);
    if (l.lanes == 0) {
      first = l.b.CreateExtractElement(first, std::uint64_t{0});
      second = l.b.CreateExtractElement(second, std::uint64_t{0});
    }
  } else {
    second = l.b.CreateNot(first);
  }
  if (l.d.bool_op == BoolOp::none) return {first, second};
  Value* c = l.use(2, Type::pred);
  return {combine(l, first, c), combine(l, second, c)};
}

std::uint64_t one_of(Type type) {
  switch (type) {
    case Type::f32: return 0x3f800000;
    case Type::f16: return 0x3c00;
    case Type::bf16: return 0x3f80;
    default: return ~std::uint64_t{0};
  }
}

// The predicate of each lane for both halves of it.
Value* for_both_halves(Lowering& l, Value* predicate) {
  Value* word = l.b.CreateSExt(predicate, l.int_type(32, predicate));
  Value* halves = l.unpack(word, l.b.getInt16Ty());
  return l.b.CreateTrunc(halves, l.int_type(1, halves));
}

// set: all ones or 1.0 where the comparison holds. Packed sources give a 16-bit result for each half, whatever the
// type.
Values lower_set(Lowering& l) {
  const Type to = l.d.type;
  const bool packed = ptx::element_count(l.d.type2) > 1;
  Value* holds = compare(l, l.d.type2);
  if (l.d.bool_op != BoolOp::none) {
    Value* c = l.use(2, Type::pred);
    holds = combine(l, holds, packed ? for_both_halves(l, c) : c);
  }
  llvm::Type* integer = l.int_type(packed ? 16 : ptx::bit_width(to), holds);
  Value* result = l.b.CreateSelect(holds, llvm::ConstantInt::get(integer, one_of(ptx::element(to))),
                                   llvm::ConstantInt::get(integer, 0));
  return {packed ? l.pack(result, l.carrier_of(to)) : l.cast(result, l.carrier_of(to))};
}

}  // namespace

Values lower_compare(Lowering& l) { return l.inst.opcode == Opcode::setp ? lower_setp(l) : lower_set(l); }

Values lower_select(Lowering& l) {
  Value* yes = l.use(0, l.d.type);
  Value* no = l.use(1, l.d.type);
  if (l.inst.opcode == Opcode::selp) return {l.b.CreateSelect(l.use(2, Type::pred), yes, no)};
  Value* selector = l.use(2, l.d.type2);
  Value* condition = nullptr;
  if (l.d.type2 == Type::f32) {
    selector = l.flush(selector, l.d.ftz);
    condition = l.b.CreateFCmpOGE(selector, Kit::real(selector, 0));
  } else {
    condition = l.b.CreateICmpSGE(selector, Kit::number(selector, 0));
  }
  return {l.b.CreateSelect(condition, yes, no)};
}

// mov between scalars copies. A vector as the source (`mov.b64 d, {x, y}`) arrives as one operand for each element, the
// first in the low bits; a vector as the destination (`mov.b64 {x, y}, a`) gives one value for each element, sinks
// included.
Values lower_move(Lowering& l) {
  llvm::IRBuilder<>& b = l.b;
  const Type type = l.d.type;
  const bool splits = !l.inst.operands.empty() && l.inst.operands[0].kind == ptx::OperandKind::vector;
  const unsigned sources = static_cast<unsigned>(l.operands.size());
  if (!splits && sources == 1) return {l.use(0, type)};
  const unsigned width = ptx::bit_width(type);
  Value* whole = nullptr;
  for (unsigned i = 0; i < sources; ++i) {
    const unsigned each = width / sources;
    Value* element = l.resize(l.bits(l.operands[i]), each, false);
    element = b.CreateShl(l.resize(element, width, false), each * i);
    whole = whole ? b.CreateOr(whole, element) : element;
  }
  if (!splits) return {l.cast(whole, l.carrier_of(type))};
  Values elements;
  const unsigned count = static_cast<unsigned>(l.inst.operands[0].elements.size()), each = width / count;
  for (unsigned i = 0; i < count; ++i) elements.push_back(l.resize(b.CreateLShr(whole, each * i), each, false));
  return elements;
}

}  // namespace heddle::device::cpu
