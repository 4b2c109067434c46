// Calls: built-in functions, recursive and indirect functions of the module, and instructions that call the runtime to
// end a launch or to wait.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/cpu/codegen/emitter_accesses.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class CallInstructions : private EmitterPart {
 public:
  CallInstructions(FunctionContext& context, Values& values, Accesses& accesses)
      : EmitterPart(context),
        runtime_(values.runtime),
        registers_(values.registers),
        branches_(values.branches),
        addresses_(accesses.addresses),
        elements_(accesses.elements),
        variables_(accesses.variables) {}

  void call(const ptx::Instruction& call);
  void trap(const ptx::Instruction& inst);
  void nanosleep(const ptx::Instruction& inst, bool is_progress);

 private:
  bool emit_builtin(const ptx::Instruction& call, const std::string& callee);
  Value* argument(const ptx::Instruction& call, unsigned i, ptx::Type type);
  void set_result(const ptx::Instruction& call, ptx::Type type, Value* value);
  void call_for_lanes(const ptx::Instruction& call, ptx::Type result_type, const std::vector<Value*>& arguments,
                      const std::function<Value*(Value* lane, const std::vector<Value*>&)>& make);
  void emit_function_call(const ptx::Instruction& call, const std::vector<ptx::Variable>& parameters,
                          const std::vector<ptx::Variable>& returns,
                          const std::function<void(Value*, Value*, Value*)>& make);
  llvm::Function* callee_finder();
  void emit_indirect(const ptx::Instruction& call, Value* targets, Value* mask, Value* parameters, Value* returns);

  RuntimeAccess& runtime_;
  Registers& registers_;
  Branches& branches_;
  Addresses& addresses_;
  ElementAccess& elements_;
  LaneVariables& variables_;
};

}  // namespace heddle::device::cpu
