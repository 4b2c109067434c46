// Atomic read-modify-write operations, one lane after the other in ascending order.
#pragma once

#include <functional>

#include "device/cpu/codegen/emitter_accesses.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class AtomicInstructions : private EmitterPart {
 public:
  AtomicInstructions(FunctionContext& context, Values& values, Accesses& accesses)
      : EmitterPart(context),
        spaces_(values.spaces),
        arithmetic_(values.arithmetic),
        registers_(values.registers),
        branches_(values.branches),
        addresses_(accesses.addresses),
        checks_(accesses.checks) {}

  void emit(const ptx::Instruction& inst);  // atom and red

 private:
  static const ptx::Operand& memory_operand(const ptx::Instruction& inst);
  void emit_element(const ptx::Instruction& inst, unsigned element, Value* pointers, bool has_result, Value* mask);
  bool emit_uniform_reduction(const ptx::Instruction& inst, const Address& address, const ptx::Operand& operand,
                              Value* mask);
  void emit_uniform_fold(const ptx::Instruction& inst, Value* pointer, const ptx::Operand& operand, Value* mask);
  Value* update(const ptx::Instruction& inst, Value* pointer, const std::function<Value*(Value*)>& next);
  Value* atomic_lane(const ptx::Instruction& inst, Value* pointer, Value* operand, Value* replacement);
  Value* combine(const ptx::Instruction& inst, Value* pointer, Value* old, Value* operand);

  StateSpaces& spaces_;
  ArithmeticEmitter& arithmetic_;
  Registers& registers_;
  Branches& branches_;
  Addresses& addresses_;
  CheckCalls& checks_;
};

}  // namespace heddle::device::cpu
