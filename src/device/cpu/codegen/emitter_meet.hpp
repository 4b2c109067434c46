// Warp operations in the one-lane shape: each thread is a fiber of its own and meets the other members at run time.
#pragma once

#include <functional>

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class MetWarpInstructions : private EmitterPart {
 public:
  MetWarpInstructions(FunctionContext& context, Values& values)
      : EmitterPart(context),
        runtime_(values.runtime),
        special_(values.special),
        arithmetic_(values.arithmetic),
        registers_(values.registers) {}

  void emit(const ptx::Instruction& inst);

  // The result of a meeting: the lanes that took part, and their values.
  struct Meeting {
    Value* present = nullptr;            // i32, one bit a lane
    llvm::AllocaInst* values = nullptr;  // [32 x i64]
  };
  // With the lanes of the mask; null: with all.
  Meeting meet(const ptx::Instruction& inst, const ptx::Operand* member_mask, Value* value);

 private:
  void for_each_bit(Value* bits, const std::function<void(Value*)>& emit);
  Value* lanes_where(const Meeting& meeting, const std::function<Value*(Value*)>& condition);
  void shfl(const ptx::Instruction& inst);
  void vote(const ptx::Instruction& inst);
  void match(const ptx::Instruction& inst);
  void redux(const ptx::Instruction& inst);

  RuntimeAccess& runtime_;
  SpecialRegisters& special_;
  ArithmeticEmitter& arithmetic_;
  Registers& registers_;
};

}  // namespace heddle::device::cpu
