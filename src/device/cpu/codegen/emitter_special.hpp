// Special registers: what a warp is, and its place in the grid.
#pragma once

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_runtime.hpp"

namespace heddle::device::cpu {

class SpecialRegisters : private EmitterPart {
 public:
  SpecialRegisters(FunctionContext& context, RuntimeAccess& runtime) : EmitterPart(context), runtime_(runtime) {}

  Value* scalar(ptx::SpecialRegister special);  // in lane 0 (in all lanes where the register is uniform)
  Value* vector(ptx::SpecialRegister special);

 private:
  Value* grid_index(ptx::SpecialRegister special);
  Value* lane_mask(ptx::SpecialRegister special, Value* lane);

  RuntimeAccess& runtime_;
};

}  // namespace heddle::device::cpu
