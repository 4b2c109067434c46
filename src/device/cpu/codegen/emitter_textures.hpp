// Textures and surfaces: one call of the runtime for all lanes that come together.
#pragma once

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"
#include "device/texture_use.hpp"

namespace heddle::device::cpu {

class TextureInstructions : private EmitterPart {
 public:
  TextureInstructions(FunctionContext& context, Values& values)
      : EmitterPart(context), runtime_(values.runtime), spaces_(values.spaces), registers_(values.registers) {}

  void emit(const ptx::Instruction& inst);

 private:
  // The handles of `width` lanes, 1 or all.
  Value* handles(const ptx::Operand& object, unsigned width);
  Value* symbol_handles(const ptx::SymbolRef& symbol, std::int64_t offset, unsigned width);
  // Words for `count` values of each lane, in the function's frame; and one of the values.
  Value* words(unsigned count, unsigned width, const char* name);
  Value* row(Value* words, unsigned number, unsigned width);
  llvm::Type* row_type(unsigned width) { return width == 1 ? kernel_.abi.i64 : vector_of(kernel_.abi.i64); }
  Value* widened(Value* value);
  void write_results(const TextureUse& use, Value* results, unsigned width);

  RuntimeAccess& runtime_;
  StateSpaces& spaces_;
  Registers& registers_;
};

}  // namespace heddle::device::cpu
