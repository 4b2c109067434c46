// cp.async. Copies execute at once: what waits for them has nothing to do.
#pragma once

#include "device/cpu/codegen/emitter_accesses.hpp"
#include "device/cpu/codegen/emitter_mbarrier.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class CopyInstructions : private EmitterPart {
 public:
  CopyInstructions(FunctionContext& context, Values& values, Accesses& accesses, MbarrierInstructions& mbarriers)
      : EmitterPart(context),
        registers_(values.registers),
        branches_(values.branches),
        addresses_(accesses.addresses),
        checks_(accesses.checks),
        mbarriers_(mbarriers) {}

  void emit(const ptx::Instruction& inst);

 private:
  void copy(const ptx::Instruction& inst, unsigned bytes);
  void copy_byte_if(Value* target, Value* source, unsigned offset, Value* condition);

  Registers& registers_;
  Branches& branches_;
  Addresses& addresses_;
  CheckCalls& checks_;
  MbarrierInstructions& mbarriers_;
};

}  // namespace heddle::device::cpu
