#include "device/cpu/codegen/arithmetic.hpp"

#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/arithmetic_lowering.hpp"
#include "heddle/error.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Opcode;
using ptx::Type;

llvm::Type* carrier(llvm::LLVMContext& context, Type type, unsigned lanes) {
  llvm::Type* scalar = type == Type::f32   ? llvm::Type::getFloatTy(context)
                       : type == Type::f64 ? llvm::Type::getDoubleTy(context)
                                           : llvm::Type::getIntNTy(context, ptx::bit_width(type));
  return lanes == 0 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
}

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

Family family_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::div:
    case Opcode::rem:
    case Opcode::abs:
    case Opcode::neg:
    case Opcode::min:
    case Opcode::max:
    case Opcode::sqrt:
    case Opcode::rcp: return lower_arithmetic;
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::tanh: return lower_transcendental;
    case Opcode::copysign:
    case Opcode::testp: return lower_float;
    case Opcode::mul24:
    case Opcode::mad24:
    case Opcode::sad:
    case Opcode::dp4a:
    case Opcode::dp2a: return lower_integer;
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::madc: return lower_carry;
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::cnot:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::shf:
    case Opcode::lop3:
    case Opcode::bfind:
    case Opcode::brev:
    case Opcode::clz:
    case Opcode::popc:
    case Opcode::fns: return lower_bits;
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bmsk:
    case Opcode::szext:
    case Opcode::prmt: return lower_bit_fields;
    case Opcode::setp:
    case Opcode::set: return lower_compare;
    case Opcode::selp:
    case Opcode::slct: return lower_select;
    case Opcode::cvt: return lower_convert;
    case Opcode::mov: return lower_move;
    case Opcode::vadd:
    case Opcode::vsub:
    case Opcode::vabsdiff:
    case Opcode::vmin:
    case Opcode::vmax:
    case Opcode::vshl:
    case Opcode::vshr:
    case Opcode::vmad:
    case Opcode::vset:
    case Opcode::vadd2:
    case Opcode::vsub2:
    case Opcode::vavrg2:
    case Opcode::vabsdiff2:
    case Opcode::vmin2:
    case Opcode::vmax2:
    case Opcode::vset2:
    case Opcode::vadd4:
    case Opcode::vsub4:
    case Opcode::vavrg4:
    case Opcode::vabsdiff4:
    case Opcode::vmin4:
    case Opcode::vmax4:
    case Opcode::vset4: return lower_video;
    default: return nullptr;
  }
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
