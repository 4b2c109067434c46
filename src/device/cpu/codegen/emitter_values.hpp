// The parts of the emitter that deal with values: what instructions read and write.
#pragma once

#include "device/cpu/codegen/arithmetic.hpp"
#include "device/cpu/codegen/emitter_branches.hpp"
#include "device/cpu/codegen/emitter_registers.hpp"
#include "device/cpu/codegen/emitter_runtime.hpp"
#include "device/cpu/codegen/emitter_spaces.hpp"
#include "device/cpu/codegen/emitter_special.hpp"

namespace heddle::device::cpu {

struct Values {
  explicit Values(FunctionContext& context)
      : runtime(context),
        spaces(context, runtime),
        special(context, runtime),
        arithmetic(context.builder, context.kernel.features,
                   [this, &context](unsigned number) {
                     llvm::PointerType* pointer = context.kernel.abi.pointer;
                     llvm::Value* table = runtime.field(runtime.table(), offsetof(RuntimeTable, soft), pointer);
                     return runtime.field(table, number * sizeof(void*), pointer);
                   }),
        registers(context, spaces, special, arithmetic),
        branches(context, registers) {}
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  RuntimeAccess runtime;
  StateSpaces spaces;
  SpecialRegisters special;
  ArithmeticEmitter arithmetic;
  Registers registers;
  Branches branches;
};

}  // namespace heddle::device::cpu
