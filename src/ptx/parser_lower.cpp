// Notations that the IR has no need of, rewritten while they are parsed: moves of whole vectors, scalars in braces, and
// registers with an offset as operands.
#include <utility>

#include "ptx/forms.hpp"
#include "ptx/parser_impl.hpp"

namespace heddle::ptx {
namespace {

bool is_width(Modifier modifier) {
  return modifier == Modifier::v2 || modifier == Modifier::v4 || modifier == Modifier::v8;
}

// Whether some element of `sources` is a register that an earlier move of the same vector overwrites.
bool overwrites_source(const std::vector<Operand>& targets, const std::vector<Operand>& sources) {
  for (std::size_t i = 0; i < targets.size(); ++i)
    for (std::size_t j = i + 1; j < sources.size(); ++j)
      if (targets[i].is_reg() && sources[j].is_reg() && targets[i].index == sources[j].index) return true;
  return false;
}

}  // namespace

// ld.u32 {r}, [a] is ld.u32 r, [a]. Matrix instructions, whose operands are vectors by their nature, keep the braces.
void Parser::unwrap_scalars(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::mov:
    case Opcode::suld:
    case Opcode::sust: break;
    default: return;
  }
  for (WrittenOperand& written : written_) {
    if (written.operand.kind != OperandKind::vector || written.operand.elements.size() != 1) continue;
    Operand only = std::move(written.operand.elements[0]);
    written.operand = std::move(only);
  }
}

bool Parser::is_vector_move(const Instruction& inst) const {
  if (inst.opcode != Opcode::mov || written_.size() != 2) return false;
  const bool has_width = inst.has(Modifier::v2) || inst.has(Modifier::v4) || inst.has(Modifier::v8);
  return has_width && written_[0].operand.kind == OperandKind::vector &&
         written_[1].operand.kind == OperandKind::vector;
}

// mov.v2.u32 {a, b}, {c, d} becomes mov.u32 a, c; mov.u32 b, d; by way of copies when the targets are among the
// sources.
void Parser::vector_move() {
  reorder_registers_ = true;
  const Instruction whole = std::move(function_.body.back());
  function_.body.pop_back();
  const std::vector<Operand> targets = std::move(written_[0].operand.elements);
  std::vector<Operand> sources = std::move(written_[1].operand.elements);
  const Token at{TokenKind::left_brace, written_[0].line, written_[0].column, written_[0].text, nullptr};
  const std::size_t width = whole.has(Modifier::v2) ? 2 : whole.has(Modifier::v4) ? 4 : 8;
  if (targets.size() != width || sources.size() != width) fail_at(at, "vectors of the length that the suffix says");
  Instruction scalar = whole;
  scalar.modifiers.clear();
  for (Modifier modifier : whole.modifiers)
    if (!is_width(modifier)) scalar.modifiers.push_back(modifier);
  if (overwrites_source(targets, sources)) {
    for (Operand& source : sources) {
      if (!source.is_reg()) continue;
      const Operand copy = Operand::make_reg(temporary(function_.registers[source.index].type));
      append(scalar, {copy, source});
      source = copy;
    }
  }
  for (std::size_t i = 0; i < width; ++i)
    if (targets[i].kind != OperandKind::sink) append(scalar, {targets[i], sources[i]});
}

// st.u32 [a], r + 1 stores the sum: an add in front, as the type of r says.
void Parser::add_register_offsets() {
  Instruction inst = std::move(function_.body.back());
  function_.body.pop_back();
  const SlotList list = slots(inst);
  for (unsigned i = 0; i < inst.operands.size(); ++i) {
    Operand& operand = inst.operands[i];
    if (!operand.is_reg() || operand.value == 0) continue;
    const Type type = function_.registers[operand.index].type;
    const unsigned width = bit_width(type);
    if (i >= list.size || list[i].role != Role::use || (!is_integer(type) && !is_bits(type)) || operand.negated ||
        operand.selector != 0 || (width != 16 && width != 32 && width != 64))
      throw_error(inst.where.line, inst.where.column, "a register with an offset",
                  "an offset only after an integer register that is read");
    Instruction add;
    add.opcode = Opcode::add;
    add.where = inst.where;
    add.modifiers.push_back(modifier_of(width == 16 ? Type::s16 : width == 32 ? Type::s32 : Type::s64));
    const Operand sum = Operand::make_reg(temporary(type));
    const Operand offset = Operand::make_integer(std::exchange(operand.value, 0));
    append(add, {sum, operand, offset});
    operand = sum;
  }
  function_.body.push_back(std::move(inst));
}

// Puts Function::registers into the order of first appearance in the rewritten body.
void Parser::reorder_registers() {
  std::vector<std::uint32_t> place(function_.registers.size(), Function::no_register);
  std::vector<Register> ordered;
  const auto see = [&](std::uint32_t& reg) {
    if (reg == Function::no_register) return;
    if (place[reg] == Function::no_register) {
      place[reg] = static_cast<std::uint32_t>(ordered.size());
      ordered.push_back(std::move(function_.registers[reg]));
    }
    reg = place[reg];
  };
  const auto see_operand = [&](const auto& self, Operand& operand) -> void {
    if (operand.is_reg() || operand.base == OperandKind::reg) see(operand.index);
    for (Operand& element : operand.elements) self(self, element);
  };
  for (auto* list : {&function_.return_registers, &function_.parameter_registers})
    for (std::uint32_t& reg : *list) see(reg);
  for (Instruction& inst : function_.body) {
    if (inst.guard.present) see(inst.guard.reg);
    for (Operand& operand : inst.operands) see_operand(see_operand, operand);
  }
  function_.registers = std::move(ordered);
}

// Appends `shape` with these operands.
void Parser::append(const Instruction& shape, std::initializer_list<Operand> operands) {
  std::vector<WrittenOperand> written;
  for (const Operand& operand : operands) {
    WrittenOperand& w = written.emplace_back();
    w.operand = operand;
    w.line = shape.where.line;
    w.column = shape.where.column;
  }
  Instruction& inst = function_.body.emplace_back(shape);
  if (const auto error = resolve(inst, written)) throw_error(error->line, error->column, error->found, error->expected);
}

std::uint32_t Parser::temporary(Type type) {
  reorder_registers_ = true;
  return names_.make_register("%heddle", type);
}

}  // namespace heddle::ptx
