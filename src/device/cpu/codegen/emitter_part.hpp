// The base of all parts of the emitter: the shared context, and the small builders of IR that all parts use, for values
// of all lanes, masks, and memory of the function's frame. A mask is a vector of i1; a null mask means all lanes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/cpu/codegen/emitter_context.hpp"

namespace heddle::device::cpu {

class EmitterPart {
 protected:
  using Value = llvm::Value;

  explicit EmitterPart(FunctionContext& context);

  // Types
  unsigned lanes() const { return kernel_.lanes; }
  llvm::Type* carrier_of(ptx::Type type, bool vector) const {
    return carrier(kernel_.llvm, type, vector ? lanes() : 0);
  }
  llvm::Type* vector_of(llvm::Type* element) const;  // with one lane: the element itself
  llvm::Type* memory_type(ptx::Type type) const { return carrier_of(type, false); }  // f16 and the like are integers
  llvm::Type* wide_like(Value* value) const;  // i64, or as many as the value has lanes

  // Values of all lanes
  Value* splat(Value* scalar);
  Value* lane_numbers(llvm::IntegerType* type);                        // <0, 1, 2, ...>
  Value* ramp(Value* base, const std::vector<std::int64_t>& offsets);  // base + offset of each lane
  std::vector<std::int64_t> lane_steps(std::int64_t bytes) const;      // bytes * lane
  Value* fit(Value* value, ptx::Type type);  // bitcast, truncate or zero-extend to the carrier
  Value* canonical_nan(Value* value);        // 32 bits; see NanBits
  Value* first_active(Value* vector_value);  // of the lane that comes first in the block's mask
  Value* last_active(Value* vector_value, Value* mask);

  // Masks
  Value* mask_bits(Value* mask);    // integer with one bit a lane
  Value* any(Value* mask);          // i1
  Value* both(Value* a, Value* b);  // conjunction
  Value* full_mask();
  Value* mask_or_full(Value* mask) { return mask ? mask : full_mask(); }
  Value* first_lane(Value* mask);  // its number, i32

  // Memory of the function's frame
  llvm::AllocaInst* entry_alloca(llvm::Type* type, const llvm::Twine& name);
  Value* spill(Value* vector_value);
  Value* element_at(Value* spilled, llvm::Type* element, Value* lane);
  Value* element_pointer(Value* spilled, llvm::Type* element, Value* lane);

  llvm::BasicBlock* new_block(const llvm::Twine& name);

  // Instructions
  // All operands and results are uniform or affine: one scalar computation gives lane 0's. A result may be so although
  // an operand is not, as that of a remainder by 1.
  bool results_scalar(const ptx::Instruction& inst) const;
  // A varying guard can leave no lane at all, unlike the mask of a block that is being run.
  bool guarded_by_lanes(const ptx::Instruction& inst) const;
  void set_location(const ptx::Instruction& inst);
  [[noreturn]] void refuse(const ptx::Instruction& inst, const std::string& why) const;

  FunctionContext& context_;
  KernelContext& kernel_;
  const FunctionFacts& facts_;
  const ptx::Function& function_;
  const WarpInputs& inputs_;
  llvm::IRBuilder<>& b_;
};

}  // namespace heddle::device::cpu
