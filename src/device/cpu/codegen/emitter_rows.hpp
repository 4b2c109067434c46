// Merged loads (merged_loads.hpp): one wide access a lane, and shuffles.
#pragma once

#include <vector>

#include "device/cpu/codegen/emitter_addresses.hpp"
#include "device/cpu/codegen/emitter_elements.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_slow.hpp"
#include "device/cpu/codegen/emitter_values.hpp"
#include "device/cpu/codegen/merged_loads.hpp"

namespace heddle::device::cpu {

class RowLoads : private EmitterPart {
 public:
  RowLoads(FunctionContext& context, Values& values, Addresses& addresses, ElementAccess& elements, SlowAccess& slow);

  // Where the elements of a load are found, by its place in the function's body; null: none is in a group.
  const std::vector<MergedLoads::Place>* places(std::uint32_t instruction) const;

  // Values of the elements of a load that has some of them in groups.
  std::vector<Value*> elements(const ptx::Instruction& inst, const std::vector<MergedLoads::Place>& places);

 private:
  // What a group of merged loads has read.
  struct MergedRows {
    std::vector<Value*> elements;  // vectors of integers
    Value* untouched = nullptr;    // i1: no store after the first load writes any of it (null: there is none)
  };
  // Where each lane reads.
  struct Rows {
    Value* base = nullptr;      // ptr; null: of_lanes is a vector of ptr
    Value* of_lanes = nullptr;  // vector of i64
  };

  MergedRows load_group(const LoadGroup& group, ptx::Space space);
  Value* untouched_by_stores(const LoadGroup& group, const Address& address, ptx::Space space);
  Rows rows_of(const LoadGroup& group, const Address& address, ptx::Space space);
  Value* spare_row();
  std::vector<Value*> row_pointers(const LoadGroup& group, const Address& address, ptx::Space space);
  std::vector<Value*> load_rows(const LoadGroup& group, const std::vector<Value*>& pointers, ptx::Space space);

  StateSpaces& spaces_;
  Registers& registers_;
  Branches& branches_;
  Addresses& addresses_;
  ElementAccess& elements_;
  SlowAccess& slow_;
  const MergedLoads merged_loads_;
  std::vector<MergedRows> merged_;  // by group: what has been read
  llvm::AllocaInst* spare_row_ = nullptr;
};

}  // namespace heddle::device::cpu
