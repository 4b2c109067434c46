// Warp operations whose member mask is not the same in all lanes: lanes with the same mask form a group, as the tiles
// of cooperative groups do, and several groups run the instruction at once.
#pragma once

#include "device/cpu/codegen/emitter_elements.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_reductions.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class GroupInstructions : private EmitterPart {
 public:
  GroupInstructions(FunctionContext& context, Values& values, ElementAccess& elements, LaneReductions& reductions)
      : EmitterPart(context),
        registers_(values.registers),
        branches_(values.branches),
        elements_(elements),
        reductions_(reductions) {}

  // For each lane the lanes of its group that run now, as bits.
  Value* bits(const ptx::Instruction& inst, const ptx::Operand& members);
  void vote(const ptx::Instruction& inst);
  void elect(const ptx::Instruction& inst);
  void match_all(const ptx::Instruction& inst);  // match.any only has to leave out the lanes of other groups
  void redux(const ptx::Instruction& inst);

 private:
  Value* first_lanes(Value* groups);

  Registers& registers_;
  Branches& branches_;
  ElementAccess& elements_;
  LaneReductions& reductions_;
};

}  // namespace heddle::device::cpu
