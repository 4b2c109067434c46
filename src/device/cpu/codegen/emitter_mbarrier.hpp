// Barriers in memory: one call of the runtime for all lanes that come together.
#pragma once

#include "device/cpu/codegen/emitter_accesses.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class MbarrierInstructions : private EmitterPart {
 public:
  MbarrierInstructions(FunctionContext& context, Values& values, Accesses& accesses)
      : EmitterPart(context),
        runtime_(values.runtime),
        spaces_(values.spaces),
        registers_(values.registers),
        addresses_(accesses.addresses),
        checks_(accesses.checks) {}

  void emit(const ptx::Instruction& inst);
  void update(const ptx::Instruction& inst);  // what reads or changes the barrier, cp.async.mbarrier.arrive too

 private:
  RuntimeAccess& runtime_;
  StateSpaces& spaces_;
  Registers& registers_;
  Addresses& addresses_;
  CheckCalls& checks_;
};

}  // namespace heddle::device::cpu
