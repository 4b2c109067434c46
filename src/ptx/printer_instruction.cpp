#include "ptx/form_match.hpp"
#include "ptx/printer_impl.hpp"
#include "ptx/selector.hpp"

namespace heddle::ptx {
namespace {

// {%tid.x, %tid.y, %tid.z, 0}, which is written as %tid: PTX takes no special registers in braces.
bool is_special_vector(const Operand& operand) {
  return operand.kind == OperandKind::vector && operand.elements.size() == 4 &&
         operand.elements[0].kind == OperandKind::special;
}

}  // namespace

void Printer::instruction(const Function& function, const Instruction& inst) {
  if (inst.guard.present) {
    text(inst.guard.negated ? "@!" : "@");
    text(function.registers[inst.guard.reg].name);
    text(" ");
  }
  text(name(inst.opcode));
  modifiers(inst);
  operands(function, inst);
  text(";");
}

void Printer::modifiers(const Instruction& inst) {
  for (Modifier modifier : inst.modifiers) {
    if (modifier == Modifier::unified) continue;  // stands behind the address
    text(".");
    text(name(modifier));
  }
}

void Printer::operands(const Function& function, const Instruction& inst) {
  const FormRef form = form_of(inst);
  bool first = true;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    const Operand& o = inst.operands[i];
    if (!o.present()) continue;
    text(first ? " " : form && i < form.form->slot_count && form.slots()[i].joined ? "|" : ", ");
    first = false;
    if (inst.opcode == Opcode::call && o.kind == OperandKind::vector) {
      list(function, o, '(', ')');
    } else {
      operand(function, o);
    }
    if (o.kind == OperandKind::address && inst.has(Modifier::unified)) text(".unified");
  }
}

void Printer::operand(const Function& function, const Operand& o) {
  switch (o.kind) {
    case OperandKind::none: return;
    case OperandKind::sink: return text("_");
    case OperandKind::reg: {
      const Register& reg = function.registers[o.index];
      if (o.negated) text(reg.type == Type::pred ? "!" : "-");
      text(reg.name);
      if (o.selector != 0) {
        text(".");
        text(selector_name(o.selector));
      }
      return;
    }
    case OperandKind::special: return text(name(o.special));
    case OperandKind::integer: return signed_number(o.value);
    case OperandKind::real: return real(o);
    case OperandKind::symbol: symbol(&function, o.symbol); return offset(o.value);
    case OperandKind::address: return address(function, o);
    case OperandKind::vector:
      if (!is_special_vector(o)) return list(function, o, '{', '}');
      {
        const std::string_view component = name(o.elements[0].special);
        return text(component.substr(0, component.size() - 2));
      }
    case OperandKind::label: return text(function.labels[o.index].name);
    case OperandKind::table: return text(function.tables[o.index].name);
  }
}

void Printer::list(const Function& function, const Operand& o, char open, char close) {
  out_ += open;
  for (std::size_t i = 0; i < o.elements.size(); ++i) {
    if (i != 0) text(", ");
    operand(function, o.elements[i]);
  }
  out_ += close;
}

void Printer::address(const Function& function, const Operand& o) {
  text("[");
  if (o.base == OperandKind::reg) {
    text(function.registers[o.index].name);
    offset(o.value);
  } else if (o.base == OperandKind::symbol) {
    symbol(&function, o.symbol);
    offset(o.value);
  } else {
    signed_number(o.value);
  }
  for (const Operand& element : o.elements) {
    text(", ");
    operand(function, element);
  }
  text("]");
}

void Printer::real(const Operand& o) {
  const bool single = o.real_type == Type::f32;
  text(single ? "0f" : "0d");
  hex(static_cast<std::uint64_t>(o.value), single ? 8 : 16);
}

}  // namespace heddle::ptx
