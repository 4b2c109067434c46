#include "device/cpu/codegen/arithmetic.hpp"

#include <array>

#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"
#include "heddle/error.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Opcode;
using ptx::Type;

namespace {

using Family = Values (*)(Lowering&);

bool is_16_bit_float(Type type) {
  const Type part = ptx::element(type);
  return part == Type::f16 || part == Type::bf16;
}

// Instructions that exist for integers and for floating point.
Values lower_arithmetic(Lowering& l) {
  const ptx::Decoded& d = l.d;
  if (is_16_bit_float(d.type) || is_16_bit_float(d.type2)) return lower_half(l);
  if (ptx::is_float(d.type)) return d.approx || d.full ? lower_approximate(l) : lower_float(l);
  if (d.carry_out) return lower_carry(l);
  return l.inst.opcode == Opcode::div || l.inst.opcode == Opcode::rem ? lower_division(l) : lower_integer(l);
}

Values lower_transcendental(Lowering& l) { return is_16_bit_float(l.d.type) ? lower_half(l) : lower_approximate(l); }

using Families = std::array<Family, static_cast<std::size_t>(Opcode::count_)>;

Families make_families() {
  using enum Opcode;
  Families families{};
  const auto put = [&](Family family, std::initializer_list<Opcode> opcodes) {
    for (Opcode opcode : opcodes) families.at(static_cast<std::size_t>(opcode)) = family;
  };
  put(lower_arithmetic, {add, sub, mul, mad, fma, div, rem, abs, neg, min, max, sqrt, rcp});
  put(lower_transcendental, {rsqrt, sin, cos, ex2, lg2, tanh});
  put(lower_float, {copysign, testp});
  put(lower_integer, {mul24, mad24, sad, dp4a, dp2a});
  put(lower_carry, {addc, subc, madc});
  put(lower_bits, {and_, or_, xor_, not_, cnot, shl, shr, shf, lop3, bfind, brev, clz, popc, fns});
  put(lower_bit_fields, {bfe, bfi, bmsk, szext, prmt});
  put(lower_compare, {setp, set});
  put(lower_select, {selp, slct});
  put(lower_convert, {cvt});
  put(lower_move, {mov});
  put(lower_video, {vadd,      vsub,  vabsdiff, vmin,  vmax,  vshl,  vshr,   vmad,      vset,  vadd2, vsub2, vavrg2,
                    vabsdiff2, vmin2, vmax2,    vset2, vadd4, vsub4, vavrg4, vabsdiff4, vmin4, vmax4, vset4});
  return families;
}

Family family_of(Opcode opcode) {
  static const Families families = make_families();
  return families.at(static_cast<std::size_t>(opcode));
}

unsigned lanes_of_any(llvm::ArrayRef<Value*> operands) {
  for (Value* operand : operands)
    if (operand) return lanes_of(operand);
  return 0;
}

}  // namespace

Lowering::Lowering(llvm::IRBuilder<>& builder, const HostFeatures& features,
                   const std::function<Value*(unsigned)>& soft_function, const ptx::Instruction& inst,
                   llvm::ArrayRef<Value*> operands, Value* active, Value*& carry)
    : Kit(builder, features),
      inst(inst),
      d(inst.d),
      operands(operands),
      active(active),
      carry(carry),
      lanes(lanes_of_any(operands)),
      soft_function_(soft_function) {}

Value* Lowering::use(unsigned i, Type type) {
  if (!has(i)) refuse("it lacks an operand");
  return cast(operands[i], carrier_of(type));
}

bool Lowering::is_known(unsigned i, std::uint64_t& value) const {
  if (!has(i)) return false;
  auto* constant = llvm::dyn_cast<llvm::Constant>(operands[i]);
  if (constant && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  const auto* integer = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  if (!integer) return false;
  value = integer->getZExtValue();
  return true;
}

std::uint64_t Lowering::immediate(unsigned i) {
  std::uint64_t value = 0;
  if (!is_known(i, value)) refuse("an operand that must be a constant is none");
  return value;
}

Lowering Lowering::with(llvm::ArrayRef<Value*> other_operands) const {
  return Lowering(b, features, soft_function_, inst, other_operands, nullptr, carry);
}

void Lowering::refuse(const std::string& why) const {
  std::string text(ptx::name(inst.opcode));
  for (ptx::Modifier modifier : inst.modifiers) text += "." + std::string(ptx::name(modifier));
  throw Error(ErrorCode::unsupported,
              "line " + std::to_string(inst.where.line) + ": the CPU device does not run '" + text + "': " + why + ".");
}

namespace {

// Memory through which soft functions get their operands, shared by all calls in a function.
Value* soft_buffer(llvm::IRBuilder<>& b, unsigned lanes) {
  constexpr unsigned values = 4, largest_value = 8;
  const unsigned bytes = std::max(lanes, 1u) * values * largest_value;
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  const llvm::StringRef name = "heddle.soft";
  llvm::Type* type = llvm::ArrayType::get(b.getInt8Ty(), bytes);
  for (llvm::Instruction& instruction : entry) {
    auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (slot && slot->getName().starts_with(name) && slot->getAllocatedType() == type) return slot;
  }
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(&entry, entry.begin());
  llvm::AllocaInst* slot = b.CreateAlloca(type, nullptr, name);
  slot->setAlignment(llvm::Align(64));
  return slot;
}

}  // namespace

Value* Lowering::soft(SoftFunction function, std::uint64_t code, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
  const unsigned count = std::max(lanes_of(arguments[0]), 1u), stride = count * 8;
  Value* buffer = soft_buffer(b, count);
  llvm::Type* pointer = b.getPtrTy();
  llvm::SmallVector<Value*, 6> passed{b.getInt32(count), b.getInt64(code), buffer};
  for (unsigned i = 0; i < 3; ++i) {
    if (i >= arguments.size()) {
      passed.push_back(llvm::ConstantPointerNull::get(b.getPtrTy()));
      continue;
    }
    Value* place = b.CreateConstInBoundsGEP1_32(b.getInt8Ty(), buffer, (i + 1) * stride);
    b.CreateStore(arguments[i], place);
    passed.push_back(place);
  }
  auto* type = llvm::FunctionType::get(b.getVoidTy(),
                                       {b.getInt32Ty(), b.getInt64Ty(), pointer, pointer, pointer, pointer}, false);
  b.CreateCall(type, soft_function_(static_cast<unsigned>(function)), passed);
  return b.CreateLoad(result, buffer);
}

ArithmeticEmitter::ArithmeticEmitter(llvm::IRBuilder<>& builder, const HostFeatures& features,
                                     std::function<Value*(unsigned)> soft_function)
    : b_(builder), features_(features), soft_function_(std::move(soft_function)) {}

bool ArithmeticEmitter::handles(Opcode opcode) { return family_of(opcode) != nullptr; }

llvm::SmallVector<Value*, 2> ArithmeticEmitter::emit(const ptx::Instruction& inst, llvm::ArrayRef<Value*> operands,
                                                     Value* active, Value*& carry) {
  Lowering lowering(b_, features_, soft_function_, inst, operands, active, carry);
  const Family family = family_of(inst.opcode);
  if (!family) lowering.refuse("it is no arithmetic instruction");
  return family(lowering);
}

}  // namespace heddle::device::cpu
