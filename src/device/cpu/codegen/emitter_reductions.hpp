// What redux makes of the values of some lanes.
#pragma once

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class LaneReductions : private EmitterPart {
 public:
  LaneReductions(FunctionContext& context, Values& values)
      : EmitterPart(context), arithmetic_(values.arithmetic), branches_(values.branches) {}

  Value* reduce(const ptx::Instruction& inst, Value* values, Value* mask);  // a scalar

 private:
  Value* reduce_floats(const ptx::Instruction& inst, Value* values, Value* mask);

  ArithmeticEmitter& arithmetic_;
  Branches& branches_;
};

}  // namespace heddle::device::cpu
