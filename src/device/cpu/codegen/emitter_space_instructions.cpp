#include "device/cpu/codegen/emitter_space_instructions.hpp"

#include "device/parameter_layout.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::Space;
using ptx::Type;

void SpaceInstructions::cvta(const ptx::Instruction& inst) {
  const ptx::Operand& source = inst.operands[1];
  const Type type = inst.d.type;
  // cvta of a variable's name converts the variable's address.
  const bool scalar = results_scalar(inst) && (inst.d.space != Space::local || lanes() == 1);
  Value* address = scalar ? registers_.lane0(source, type) : registers_.vector(source, type);
  registers_.write_operand(inst.operands[0], type, spaces_.convert(inst, address));
}

void SpaceInstructions::isspacep(const ptx::Instruction& inst) {
  const bool scalar = results_scalar(inst);
  Value* address =
      scalar ? registers_.lane0(inst.operands[1], Type::u64) : registers_.vector(inst.operands[1], Type::u64);
  const auto spread = [&](Value* value) { return scalar ? value : splat(value); };
  const auto inside = [&](Value* start, Value* bytes) {
    Value* offset = b_.CreateSub(address, spread(b_.CreatePtrToInt(start, kernel_.abi.i64)));
    return b_.CreateICmpULT(offset, spread(bytes));
  };
  const auto in_shared = [&] { return inside(inputs_.shared, spaces_.shared_bytes()); };
  const auto in_local = [&] { return inside(spaces_.local_base(), b_.getInt64(facts_.memory.bytes * lanes())); };
  const auto in_constants = [&] {
    Value* found = spread(b_.getFalse());
    for (std::uint32_t v = 0; v < kernel_.source.variables.size(); ++v)
      if (kernel_.source.variables[v].space == Space::constant)
        found =
            b_.CreateOr(found, inside(runtime_.variable_pointer(v), b_.getInt64(kernel_.source.variables[v].size())));
    return found;
  };
  Value* result = nullptr;
  switch (inst.d.space) {
    case Space::shared: result = in_shared(); break;
    case Space::local: result = in_local(); break;
    case Space::constant: result = in_constants(); break;
    case Space::global: result = b_.CreateNot(b_.CreateOr(b_.CreateOr(in_shared(), in_local()), in_constants())); break;
    default: {
      const auto bytes = parameter_bytes(function_.parameters);
      result = function_.is_entry ? inside(inputs_.parameters, b_.getInt64(bytes)) : spread(b_.getFalse());
    }
  }
  registers_.write_operand(inst.operands[0], Type::pred, result);
}

void SpaceInstructions::fence(const ptx::Instruction& inst) {
  // Threads of one block share a host thread: at that scope only the compiler has to keep the order.
  const bool block_only =
      inst.d.scope == ptx::Scope::cta || inst.has(Modifier::proxy) || inst.d.scope == ptx::Scope::none;
  const bool sequential = inst.opcode == ptx::Opcode::membar || inst.d.order == ptx::Order::sc;
  if (block_only)
    b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
  else
    b_.CreateFence(sequential ? llvm::AtomicOrdering::SequentiallyConsistent : llvm::AtomicOrdering::AcquireRelease);
}

}  // namespace heddle::device::cpu
