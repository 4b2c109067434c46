#include "ptx/rewrite/block_ranges_prelude.hpp"

namespace heddle::ptx {
namespace {

using S = SpecialRegister;

constexpr Modifier u32 = modifier_of(Type::u32);

Operand reg(std::uint32_t index) { return Operand::make_reg(index); }

// a * b + c
std::uint32_t multiply_add(BodyEditor& editor, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return editor.compute(Type::b32, Opcode::mad, {Modifier::lo, u32}, {reg(a), reg(b), reg(c)});
}

}  // namespace

void emit_prelude(BodyEditor& editor, const HiddenIndices& hidden) {
  const std::uint32_t z = editor.read(S::ctaid_z), rows = editor.read(S::nctaid_y), y = editor.read(S::ctaid_y);
  const std::uint32_t row = multiply_add(editor, z, rows, y);
  const std::uint32_t columns = editor.read(S::nctaid_x), x = editor.read(S::ctaid_x);
  const std::uint32_t block = multiply_add(editor, row, columns, x);
  // Blocks before the range wrap around: one comparison does for both ends.
  const std::uint32_t first = emit_hidden(editor, hidden, HiddenValue::first);
  const std::uint32_t place = editor.compute(Type::b32, Opcode::sub, {u32}, {reg(block), reg(first)});
  const std::uint32_t count = emit_hidden(editor, hidden, HiddenValue::count);
  const std::uint32_t outside =
      editor.compute(Type::pred, Opcode::setp, {Modifier::ge, u32}, {{}, reg(place), reg(count)});
  editor.emit_if(outside, true, make_instruction(Opcode::exit, {}, {}));
}

}  // namespace heddle::ptx
