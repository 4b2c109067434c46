// Operations among the lanes of a warp.
//
// In the 32-lane shape the lanes that run an operation together are those of the mask; in the one-lane shape each
// thread is a fiber and meets the others through RuntimeTable::warp_meet.
#pragma once

#include "device/cpu/codegen/emitter_elements.hpp"
#include "device/cpu/codegen/emitter_matrices.hpp"
#include "device/cpu/codegen/emitter_meet.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_reductions.hpp"
#include "device/cpu/codegen/emitter_values.hpp"
#include "device/cpu/codegen/emitter_warp_groups.hpp"

namespace heddle::device::cpu {

class WarpInstructions : private EmitterPart {
 public:
  WarpInstructions(FunctionContext& context, Values& values, ElementAccess& elements)
      : EmitterPart(context),
        registers_(values.registers),
        branches_(values.branches),
        elements_(elements),
        reductions_(context, values),
        groups_(context, values, elements, reductions_),
        met_(context, values),
        matrices_(context, values, met_) {}

  // shfl, vote, match, redux, elect, activemask, bar.warp, and products of matrices
  void emit(const ptx::Instruction& inst);

 private:
  void shfl(const ptx::Instruction& inst);
  void vote(const ptx::Instruction& inst);
  void match(const ptx::Instruction& inst);
  void match_all(const ptx::Instruction& inst, Value* values, Value* spilled, Value* mask, Value* bits);
  void redux(const ptx::Instruction& inst);
  void elect(const ptx::Instruction& inst);
  Value* members(const ptx::Instruction& inst, const ptx::Operand* operand);
  bool has_groups(const ptx::Operand& members) const;
  Value* permute(Value* values, Value* index);

  Registers& registers_;
  Branches& branches_;
  ElementAccess& elements_;
  LaneReductions reductions_;
  GroupInstructions groups_;
  MetWarpInstructions met_;
  MatrixInstructions matrices_;
};

}  // namespace heddle::device::cpu
