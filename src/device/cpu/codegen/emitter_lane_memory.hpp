// Memory of single lanes: .local variables, and the .param variables that carry arguments of calls.
//
// Variables that are only accessed directly, at constant offsets and in one width for each offset, live in slots: one
// LLVM variable for all lanes, which becomes a register. Others lie in a frame, one record a lane, so that generic
// pointers to them work.
#pragma once

#include <map>
#include <utility>

#include "device/cpu/codegen/emitter_addresses.hpp"
#include "device/cpu/codegen/emitter_elements.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

// An operand's first element; operands that are no vectors are one element.
inline const ptx::Operand& first_element(const ptx::Operand& operand) {
  return operand.kind == ptx::OperandKind::vector ? operand.elements[0] : operand;
}

class LaneVariables : private EmitterPart {
 public:
  LaneVariables(FunctionContext& context, Values& values, Addresses& addresses, ElementAccess& elements)
      : EmitterPart(context),
        spaces_(values.spaces),
        registers_(values.registers),
        branches_(values.branches),
        addresses_(addresses),
        elements_(elements) {}

  // ld and st of variables in slots; false for any other access, of which nothing is emitted.
  bool access(const ptx::Instruction& inst, bool is_store);

  Value* read(std::uint32_t variable, std::int64_t offset, ptx::Type type);
  void write(std::uint32_t variable, std::int64_t offset, ptx::Type type, Value* value, Value* mask);
  // Copies `bytes` bytes of each lane between a variable's record and a frame with one record of `stride` bytes a lane.
  void copy_records(const ptx::SymbolRef& symbol, Value* frame, std::uint64_t stride, std::uint64_t bytes, Value* mask,
                    bool to_frame);

 private:
  llvm::AllocaInst* slot(std::uint32_t variable, std::int64_t offset, unsigned bytes);
  Address record(std::uint32_t variable);

  StateSpaces& spaces_;
  Registers& registers_;
  Branches& branches_;
  Addresses& addresses_;
  ElementAccess& elements_;
  std::map<std::pair<std::uint32_t, std::int64_t>, llvm::AllocaInst*> slots_;
};

}  // namespace heddle::device::cpu
