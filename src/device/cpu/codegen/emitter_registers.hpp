// Registers and operands as LLVM values. A register is stored as its form says (emitter.hpp): as the scalar of lane 0
// where it is uniform or affine, else as a vector. Within a block the latest value of each register is at hand; a
// register that is read later than in its block has a slot in the function's frame.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "device/cpu/codegen/arithmetic.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_spaces.hpp"
#include "device/cpu/codegen/emitter_special.hpp"

namespace heddle::device::cpu {

class Registers : private EmitterPart {
 public:
  Registers(FunctionContext& context, StateSpaces& spaces, SpecialRegisters& special, ArithmeticEmitter& arithmetic);

  // Operands
  ValueForm form_of(const ptx::Operand& operand) const;
  bool is_scalar(const ptx::Operand& operand) const { return form_of(operand).kind == ValueForm::Kind::uniform; }
  Value* lane0(const ptx::Operand& operand, ptx::Type type);   // scalar carrier of `type`
  Value* vector(const ptx::Operand& operand, ptx::Type type);  // vector carrier of `type`
  // Ignores operands that are no registers: _ among the results.
  void write_operand(const ptx::Operand& operand, ptx::Type type, Value* value);

  // Registers
  bool is_read(std::uint32_t reg) const { return facts_.is_read[reg]; }
  Value* read(std::uint32_t reg);  // as it is stored
  Value* register_vector(std::uint32_t reg);
  // `value` is a scalar for uniform and affine registers, that of lane 0, or a vector; for varying ones a vector (a
  // scalar is spread).
  void write(std::uint32_t reg, Value* value);
  void clear(std::uint32_t reg);  // stores zero in its slot

  // Affine forms that may not hold at run time
  Value* no_wrap(std::uint32_t assumption);  // whether a widening conversion kept the form it was predicted to have
  // Called where the conversion stands: its operand's value must not wrap between lane 0 and any other lane.
  void check_no_wrap(std::uint32_t assumption);

  // Lanes that run the instruction: those of the block, less those whose guard is off.
  Value* instruction_mask(const ptx::Instruction& inst);
  // Lanes for which the instruction that is emitted writes its results; null: all. Unlike the mask, with a guard that
  // is the same for all of them.
  Value* writing_lanes();

  void start_block();
  void start_instruction();
  // Emits code that does not always run: what is read for the first time in it is not available after it.
  void in_branch(const std::function<void()>& emit);
  // The same for an instruction whose guard is a branch around it; its results are given back instead of written.
  using Results = std::vector<std::pair<std::uint32_t, Value*>>;
  Results captured_in_branch(const std::function<void()>& emit);

 private:
  llvm::AllocaInst* slot(std::uint32_t reg);
  Value* extended(Value* value, ptx::Type type, std::uint32_t reg);
  Value* base_of(std::uint32_t reg, Value* value);
  Value* rebuilt(std::uint32_t reg);
  Value* rebuild(std::uint32_t reg);
  Value* constant(const ptx::Operand& operand, ptx::Type type);
  Value* seen(const ptx::Operand& operand, Value* value);  // what the instruction sees of a register
  Value* guard_value(bool as_vector);
  bool needs_blend(std::uint32_t reg) const;
  void store_register(std::uint32_t reg, Value* value);

  StateSpaces& spaces_;
  SpecialRegisters& special_;
  ArithmeticEmitter& arithmetic_;

  std::vector<llvm::AllocaInst*> slots_, no_wrap_;
  std::vector<Value*> current_;         // latest value of each register within the block
  std::vector<std::uint32_t> touched_;  // registers with an entry in current_
  std::vector<Value*> current_no_wrap_;
  // What the value that is being rebuilt goes back to; empty between two of them.
  std::map<std::uint32_t, Value*> rebuilt_;
  bool rebuilding_ = false;
  Value* guard_value_ = nullptr;  // of the instruction, once asked for
  bool guard_done_ = false;       // the guard of the instruction is a branch around it
  Results* captured_ = nullptr;   // results of an instruction behind a branch
};

}  // namespace heddle::device::cpu
