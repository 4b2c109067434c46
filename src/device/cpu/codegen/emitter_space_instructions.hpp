// cvta, isspacep, and fences.
#pragma once

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class SpaceInstructions : private EmitterPart {
 public:
  SpaceInstructions(FunctionContext& context, Values& values)
      : EmitterPart(context), runtime_(values.runtime), spaces_(values.spaces), registers_(values.registers) {}

  void cvta(const ptx::Instruction& inst);
  void isspacep(const ptx::Instruction& inst);
  void fence(const ptx::Instruction& inst);

 private:
  RuntimeAccess& runtime_;
  StateSpaces& spaces_;
  Registers& registers_;
};

}  // namespace heddle::device::cpu
