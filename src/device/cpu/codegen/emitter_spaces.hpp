// State spaces: where the windows of shared and local memory and the bytes of symbols lie, and how the addresses of a
// space become generic ones.
#pragma once

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_runtime.hpp"

namespace heddle::device::cpu {

struct SymbolPlace {
  llvm::Value* pointer = nullptr;  // of lane 0
  std::int64_t stride = 0;         // bytes from lane to lane
};

class StateSpaces : private EmitterPart {
 public:
  StateSpaces(FunctionContext& context, RuntimeAccess& runtime) : EmitterPart(context), runtime_(runtime) {}

  // An access through a symbol goes to the symbol's own space, whatever the instruction leaves open.
  ptx::Space effective_space(ptx::Space space, const ptx::Operand& operand) const;

  Value* window_base(ptx::Space space);  // what addresses of the space are offsets from; null: absolute
  Value* local_base();
  Value* shared_bytes();                      // size of the block's shared window, i64
  Value* points_into_shared(Value* pointer);  // of one lane's pointer, as i1

  SymbolPlace symbol_place(const ptx::SymbolRef& symbol);
  // The address that `mov` gives: an offset in its window for .shared and .local symbols, a host address for others.
  Value* symbol_address(const ptx::SymbolRef& symbol, std::int64_t offset);

  // cvta: between the addresses of a window and generic ones.
  Value* convert(const ptx::Instruction& inst, Value* address);

 private:
  RuntimeAccess& runtime_;
  Value* local_base_ = nullptr;
};

}  // namespace heddle::device::cpu
