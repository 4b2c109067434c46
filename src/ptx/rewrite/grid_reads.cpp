#include "ptx/rewrite/grid_reads.hpp"

#include "ptx/forms.hpp"
#include "ptx/rewrite/branch.hpp"
#include "ptx/rewrite/inline_calls.hpp"

namespace heddle::ptx {
namespace {

constexpr unsigned callee_slot = 1, arguments_slot = 2;

std::uint32_t copy_called(const Instruction& inst, const Module& module, const GridCopies& copies) {
  const auto callee = named_callee(inst);
  return callee ? copies.copies[definition_of(module, *callee)] : GridCopies::no_copy;
}

GridValueSet values_wanted(const Instruction& inst, const Module& module, const GridCopies& copies) {
  if (inst.opcode != Opcode::call) return values_named(inst);
  if (copy_called(inst, module, copies) == GridCopies::no_copy) return {};
  return copies.needed[definition_of(module, *named_callee(inst))];
}

class ReadRewriter {
 public:
  ReadRewriter(BodyEditor& editor, const Module& module, const GridCopies& copies, GridValueSource& source)
      : editor_(editor), module_(module), copies_(copies), source_(source) {}

  void rewrite(Instruction inst) {
    const GridValueSet wanted = values_wanted(inst, module_, copies_);
    if (wanted.none() && copy_called(inst, module_, copies_) == GridCopies::no_copy) {
      editor_.emit(std::move(inst));
      return;
    }
    const GridValueRegisters values = source_.emit(editor_, wanted);
    if (inst.opcode == Opcode::call)
      call_copy(std::move(inst), values);
    else
      read(inst, values);
  }

 private:
  void call_copy(Instruction inst, const GridValueRegisters& values) {
    const std::uint32_t callee = definition_of(module_, *named_callee(inst));
    inst.operands[callee_slot].symbol.index = copies_.copies[callee];
    Operand& arguments = inst.operands[arguments_slot];
    arguments.kind = OperandKind::vector;
    for (unsigned v = 0; v < grid_value_count; ++v)
      if (copies_.needed[callee].test(v)) arguments.elements.push_back(Operand::make_reg(values[v]));
    decode(inst);
    editor_.emit(std::move(inst));
  }

  void read(const Instruction& inst, const GridValueRegisters& values) {
    const bool vector_move = inst.opcode == Opcode::mov && inst.operands.size() >= 2 &&
                             inst.operands[0].kind == OperandKind::vector &&
                             inst.operands[1].kind == OperandKind::vector;
    if (!vector_move) {
      replace(inst, values);
      return;
    }
    // mov.v4 {a, b, c, d}, %ctaid: one move for each register.
    for (std::size_t i = 0; i < inst.operands[0].elements.size(); ++i) {
      if (!inst.operands[0].elements[i].is_reg()) continue;
      Instruction move;
      move.opcode = Opcode::mov;
      move.guard = inst.guard;
      move.where = inst.where;
      move.modifiers.push_back(modifier_of(inst.d.type));
      move.operands = {inst.operands[0].elements[i], inst.operands[1].elements[i]};
      decode(move);
      replace(std::move(move), values);
    }
  }

  void replace(Instruction inst, const GridValueRegisters& values) {
    const SlotList list = slots(inst);
    for (unsigned i = 0; i < inst.operands.size(); ++i)
      replace(inst.operands[i], list[i].type, inst.opcode == Opcode::mov, values);
    editor_.emit(std::move(inst));
  }

  void replace(Operand& operand, Type type, bool exact, const GridValueRegisters& values) {
    for (Operand& element : operand.elements) replace(element, type, exact, values);
    if (operand.kind != OperandKind::special) return;
    if (const auto value = grid_value_of(operand.special))
      operand = Operand::make_reg(fitting(values[number(*value)], type, exact));
  }

  // The value as a register that an operand of this type takes: cvt takes wider ones, mov does not.
  std::uint32_t fitting(std::uint32_t reg, Type type, bool exact) {
    const unsigned width = bit_width(type);
    if (width == 32 || (width < 32 && !exact)) return reg;
    const Type to = width == 64 ? Type::u64 : Type::u16;
    return editor_.compute(width == 64 ? Type::b64 : Type::b16, Opcode::cvt, {modifier_of(to), modifier_of(Type::u32)},
                           {Operand::make_reg(reg)});
  }

  BodyEditor& editor_;
  const Module& module_;
  const GridCopies& copies_;
  GridValueSource& source_;
};

}  // namespace

void rewrite_grid_reads(BodyEditor& editor, const Module& module, const GridCopies& copies, GridValueSource& source,
                        std::optional<std::uint32_t> leave) {
  ReadRewriter rewriter(editor, module, copies, source);
  const bool reaches_end = editor.reaches_end();
  SourceLocation last;
  for (std::size_t i = 0; i < editor.size(); ++i) {
    editor.begin(i);
    Instruction inst = editor.take(i);
    last = inst.where;
    if (leave && (inst.opcode == Opcode::ret || inst.opcode == Opcode::exit)) {
      Instruction branch = branch_to(*leave, inst.where);
      branch.guard = inst.guard;
      decode(branch);
      editor.emit(std::move(branch));
      continue;
    }
    rewriter.rewrite(std::move(inst));
  }
  editor.begin(editor.size());
  if (!leave || !reaches_end) return;
  Instruction branch = branch_to(*leave, last);
  decode(branch);
  editor.emit(std::move(branch));
}

std::size_t count_grid_reads(const Function& function, const Module& module, const GridCopies& copies) {
  std::size_t count = 0;
  for (const Instruction& inst : function.body) count += values_wanted(inst, module, copies).any() ? 1 : 0;
  return count;
}

Function copy_with_grid_parameters(const Module& module, std::uint32_t function, const std::string& name,
                                   std::string_view stem, const GridCopies& copies) {
  Function copy = module.functions[function];
  copy.name = name;
  copy.linkage = Linkage::internal;
  copy.unified.reset();
  // Functions of old style get register parameters like their own.
  const bool in_registers = !copy.parameter_registers.empty() || !copy.return_registers.empty();
  if (in_registers) copy.parameter_registers.resize(copy.parameters.size(), Function::no_register);
  GridValueRegisters places{};
  BodyEditor editor(copy, stem);
  for (unsigned v = 0; v < grid_value_count; ++v) {
    if (!copies.needed[function].test(v)) continue;
    Variable parameter;
    parameter.name = std::string(stem) + "value" + std::to_string(v);
    parameter.space = Space::param;
    parameter.type = Type::b32;
    places[v] = static_cast<std::uint32_t>(copy.parameters.size());
    if (in_registers) {
      places[v] = editor.add_register(Type::b32);
      parameter.name = copy.registers[places[v]].name;
      copy.parameter_registers.push_back(places[v]);
    }
    copy.parameters.push_back(std::move(parameter));
  }
  RegisterSource registers(places);
  ParameterSource parameters(places);
  if (in_registers)
    rewrite_grid_reads(editor, module, copies, registers);
  else
    rewrite_grid_reads(editor, module, copies, parameters);
  editor.finish();
  return copy;
}

}  // namespace heddle::ptx
