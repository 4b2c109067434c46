// Instructions that compute registers from registers: arithmetic, with the condition code register, and mov.
#pragma once

#include "device/cpu/codegen/emitter_addresses.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class DataInstructions : private EmitterPart {
 public:
  DataInstructions(FunctionContext& context, Values& values, Addresses& addresses)
      : EmitterPart(context),
        spaces_(values.spaces),
        arithmetic_(values.arithmetic),
        registers_(values.registers),
        addresses_(addresses) {}

  void arithmetic(const ptx::Instruction& inst);
  // mov of registers, constants, special registers and addresses; packing {a, b} into one register and back.
  void mov(const ptx::Instruction& inst);

 private:
  static ptx::Type part_type(unsigned bits);
  static bool uses_carry(const ptx::Instruction& inst);
  Value* read_carry();

  StateSpaces& spaces_;
  ArithmeticEmitter& arithmetic_;
  Registers& registers_;
  Addresses& addresses_;
  llvm::AllocaInst* carry_ = nullptr;  // condition code register
};

}  // namespace heddle::device::cpu
