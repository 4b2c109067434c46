// Products of matrices by a warp (mma, wmma.mma): registers go to memory, and a function of the runtime multiplies.
#pragma once

#include "device/cpu/codegen/emitter_meet.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"
#include "ptx/matrix.hpp"

namespace heddle::device::cpu {

class MatrixInstructions : private EmitterPart {
 public:
  MatrixInstructions(FunctionContext& context, Values& values, MetWarpInstructions& met)
      : EmitterPart(context),
        runtime_(values.runtime),
        special_(values.special),
        registers_(values.registers),
        met_(met) {}

  void multiply(const ptx::Instruction& inst);

 private:
  void multiply_vectors(const ptx::Instruction& inst, const ptx::MatrixProduct& product);
  void multiply_met(const ptx::Instruction& inst, const ptx::MatrixProduct& product);

  RuntimeAccess& runtime_;
  SpecialRegisters& special_;
  Registers& registers_;
  MetWarpInstructions& met_;
};

}  // namespace heddle::device::cpu
