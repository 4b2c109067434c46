// bar and barrier: barriers of a block.
#pragma once

#include "device/cpu/codegen/emitter_checks.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class BarrierInstructions : private EmitterPart {
 public:
  BarrierInstructions(FunctionContext& context, Values& values, CheckCalls& checks)
      : EmitterPart(context), runtime_(values.runtime), registers_(values.registers), checks_(checks) {}

  void emit(const ptx::Instruction& inst);

 private:
  static BarrierKind kind_of(const ptx::Instruction& inst);
  Value* scalar(const ptx::Operand& operand);
  Value* lanes_that_hold(const ptx::Operand& predicate);
  Value* running_lanes();
  void emit_lone(const ptx::Instruction& inst, BarrierKind kind, Value* held);

  RuntimeAccess& runtime_;
  Registers& registers_;
  CheckCalls& checks_;
};

}  // namespace heddle::device::cpu
