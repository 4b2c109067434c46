#include "device/cpu/codegen/emitter_textures.hpp"

#include <llvm/IR/Constants.h>

#include "device/cpu/abi.hpp"

namespace heddle::device::cpu {

using ptx::OperandKind;
using ptx::Type;

llvm::Value* TextureInstructions::words(unsigned count, unsigned width, const char* name) {
  return entry_alloca(llvm::ArrayType::get(kernel_.abi.i64, std::uint64_t{count} * width), name);
}

llvm::Value* TextureInstructions::row(Value* words, unsigned number, unsigned width) {
  return b_.CreateConstGEP1_64(kernel_.abi.i64, words, std::uint64_t{number} * width);
}

// The carrier of any type, as words.
llvm::Value* TextureInstructions::widened(Value* value) {
  llvm::Type* type = value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  llvm::Type* integer = llvm::IntegerType::get(kernel_.llvm, bits);
  if (type->isVectorTy()) integer = vector_of(integer);
  if (type != integer) value = b_.CreateBitCast(value, integer);
  return b_.CreateZExt(value, wide_like(value));
}

// A symbol is where the handle is stored: a parameter, or a variable of type .texref or .surfref.
llvm::Value* TextureInstructions::symbol_handles(const ptx::SymbolRef& symbol, std::int64_t offset, unsigned width) {
  const SymbolPlace place = spaces_.symbol_place(symbol);
  const auto at = [&](unsigned lane) {
    const std::int64_t distance = place.stride * lane + offset;
    Value* pointer = b_.CreateConstGEP1_64(kernel_.abi.i8, place.pointer, static_cast<std::uint64_t>(distance));
    return b_.CreateAlignedLoad(kernel_.abi.i64, pointer, llvm::Align(1));
  };
  if (width == 1) return at(0);
  if (place.stride == 0) return splat(at(0));
  Value* all = llvm::PoisonValue::get(row_type(width));
  for (unsigned lane = 0; lane < width; ++lane) all = b_.CreateInsertElement(all, at(lane), lane);
  return all;
}

llvm::Value* TextureInstructions::handles(const ptx::Operand& object, unsigned width) {
  const bool in_symbol =
      (object.kind == OperandKind::address && object.base == OperandKind::symbol) || object.kind == OperandKind::symbol;
  if (in_symbol) return symbol_handles(object.symbol, object.value, width);
  ptx::Operand value = object;
  if (object.kind == OperandKind::address) {
    value = ptx::Operand{};
    value.kind = object.base == OperandKind::reg ? OperandKind::reg : OperandKind::integer;
    value.index = object.index;
    value.value = object.value;
  }
  Value* handle = width == 1 ? registers_.lane0(value, Type::b64) : registers_.vector(value, Type::b64);
  if (object.kind != OperandKind::address || object.base != OperandKind::reg || object.value == 0) return handle;
  return b_.CreateAdd(handle, llvm::ConstantInt::get(handle->getType(), static_cast<std::uint64_t>(object.value)));
}

void TextureInstructions::emit(const ptx::Instruction& inst) {
  const TextureUse use = texture_use(inst);
  if (use.refusal) refuse(inst, use.refusal);
  const bool once = lanes() == 1 || (!use.operation.writes() && results_scalar(inst));
  const unsigned width = once ? 1 : lanes();
  Value* objects = words(1, width, "textures");
  Value* arguments = words(std::max(use.argument_count, 1u), width, "texture_arguments");
  Value* results = words(std::max(use.result_count, 1u), width, "texture_results");
  const llvm::Align align(8);
  b_.CreateAlignedStore(handles(*use.object, width), row(objects, 0, width), align);
  unsigned next = 0;
  for (const TextureUse::Argument& argument : use.arguments()) {
    Value* value =
        once ? registers_.lane0(*argument.operand, argument.type) : registers_.vector(*argument.operand, argument.type);
    b_.CreateAlignedStore(widened(value), row(arguments, next++, width), align);
  }
  Value* bits = b_.getInt32(1);
  if (!once) bits = b_.CreateZExtOrTrunc(mask_bits(mask_or_full(registers_.instruction_mask(inst))), kernel_.abi.i32);
  const auto [low, high] = texture::pack(use.operation);
  runtime_.note_line(inst);
  runtime_.call(
      offsetof(RuntimeTable, texture), b_.getVoidTy(),
      {inputs_.warp, objects, arguments, results, bits, b_.getInt32(width), b_.getInt64(low), b_.getInt64(high)});
  write_results(use, results, width);
}

void TextureInstructions::write_results(const TextureUse& use, Value* results, unsigned width) {
  unsigned next = 0;
  for (const ptx::Operand* operand : use.results()) {
    Value* word = b_.CreateAlignedLoad(row_type(width), row(results, next++, width), llvm::Align(8));
    if (!operand->is_reg()) continue;
    if (use.result_type == Type::pred) {
      word = b_.CreateICmpNE(word, llvm::Constant::getNullValue(word->getType()));
    } else {
      llvm::Type* narrow = llvm::IntegerType::get(kernel_.llvm, ptx::bit_width(use.result_type));
      if (width > 1) narrow = vector_of(narrow);
      word = fit(b_.CreateTrunc(word, narrow), use.result_type);
    }
    registers_.write_operand(*operand, use.result_type, word);
  }
  if (use.resident) registers_.write_operand(*use.resident, Type::pred, b_.getTrue());
}

}  // namespace heddle::device::cpu
