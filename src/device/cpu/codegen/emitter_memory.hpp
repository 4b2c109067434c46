// ld, st and prefetch.
#pragma once

#include "device/cpu/codegen/emitter_accesses.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class MemoryInstructions : private EmitterPart {
 public:
  MemoryInstructions(FunctionContext& context, Values& values, Accesses& accesses);

  void load(const ptx::Instruction& inst);
  void store(const ptx::Instruction& inst);
  void prefetch(const ptx::Instruction& inst);

 private:
  std::vector<Value*> load_elements(const ptx::Instruction& inst, const Address& address, ptx::Space space,
                                    Value* mask);
  std::vector<Value*> load_if_any(const ptx::Instruction& inst, const Address& address, ptx::Space space, Value* mask);
  void fetch_ahead(const ptx::Instruction& inst, const Address& address);
  void write_elements(const ptx::Instruction& inst, const std::vector<Value*>& values);
  Value* spilled_values(const ptx::Instruction& inst);
  void store_uniform(const ptx::Instruction& inst, const Address& address, ptx::Space space, Value* mask);
  void store_lanes(const ptx::Instruction& inst, const Address& address, ptx::Space space, Value* mask);
  void order_before(const ptx::Instruction& inst);
  void order_after(const ptx::Instruction& inst);

  StateSpaces& spaces_;
  Registers& registers_;
  Branches& branches_;
  Addresses& addresses_;
  ElementAccess& elements_;
  SlowAccess& slow_;
  WholeAccess& whole_;
  LaneVariables& variables_;
  RowLoads& rows_;
  CheckCalls& checks_;
};

}  // namespace heddle::device::cpu
