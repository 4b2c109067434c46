#include <algorithm>

#include "ptx/printer_impl.hpp"

namespace heddle::ptx {
namespace {

constexpr std::size_t registers_in_a_line = 16;

std::string_view linkage_name(Linkage linkage) {
  switch (linkage) {
    case Linkage::visible: return ".visible ";
    case Linkage::weak: return ".weak ";
    case Linkage::external: return ".extern ";
    case Linkage::common: return ".common ";
    case Linkage::internal: break;
  }
  return "";
}

}  // namespace

// Functions keep the order of their first mention, and each must be declared before it is used: a body that names a
// later function is preceded by declarations of itself and all functions up to that one.
void Printer::define(std::size_t index) {
  const Function& function = module_.functions[index];
  if (function.is_declaration) return introduce_up_to(index);
  const std::size_t last = last_reference(function);
  if (last > index) introduce_up_to(last);
  introduced_ = std::max(introduced_, index + 1);
  function_header(function);
  text("\n{\n");
  body(function);
  text("}\n");
}

void Printer::introduce_up_to(std::size_t index) {
  for (; introduced_ <= index; ++introduced_) {
    function_header(module_.functions[introduced_]);
    text(";\n");
  }
}

std::size_t Printer::last_reference(const Function& function) const {
  std::size_t last = 0;
  const auto see = [&](SymbolRef ref) {
    if (ref.kind == SymbolRef::Kind::function) last = std::max<std::size_t>(last, ref.index);
  };
  const auto see_operand = [&](const Operand& operand) {
    if (operand.kind == OperandKind::symbol) see(operand.symbol);
    for (const Operand& element : operand.elements)
      if (element.kind == OperandKind::symbol) see(element.symbol);
  };
  for (const Instruction& inst : function.body)
    for (const Operand& operand : inst.operands) see_operand(operand);
  for (const Variable& variable : function.variables)
    for (const InitValue& value : variable.init) see(value.symbol);
  for (const Table& table : function.tables)
    if (table.kind == Table::Kind::call_targets)
      for (std::uint32_t target : table.targets) last = std::max<std::size_t>(last, target);
  return last;
}

void Printer::function_header(const Function& function) {
  text(linkage_name(function.linkage));
  text(function.is_entry ? ".entry " : ".func ");
  unified(function.unified, false);
  if (!function.returns.empty()) {
    parameter_list(function, function.returns, function.return_registers);
    text(" ");
  }
  text(function.name);
  parameter_list(function, function.parameters, function.parameter_registers);
  if (function.noreturn) text("\n.noreturn");
  performance_directives(function.directives);
  for (const std::string& pragma : function.entry_pragmas) {
    text("\n.pragma \"");
    text(pragma);
    text("\";");
  }
}

void Printer::parameter_list(const Function& function, const std::vector<Variable>& list,
                             const std::vector<std::uint32_t>& registers) {
  text("(");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i != 0) text(", ");
    if (!registers.empty() && registers[i] != Function::no_register) {
      const Register& reg = function.registers[registers[i]];
      text(".reg .");
      text(name(reg.type));
      text(" ");
      text(reg.name);
    } else {
      parameter(list[i]);
    }
  }
  text(")");
}

void Printer::parameter(const Variable& v) {
  text(".param ");
  attributes(v);
  if (v.is_pointer) {
    text(".ptr ");
    switch (v.pointer_space) {
      case Space::global: text(".global "); break;
      case Space::shared: text(".shared "); break;
      case Space::local: text(".local "); break;
      case Space::constant: text(".const "); break;
      case Space::param: text(".param "); break;
      case Space::generic: break;
    }
    if (v.pointer_align != 0) {
      text(".align ");
      number(v.pointer_align);
      text(" ");
    }
  }
  text(v.name);
  dimensions(v);
}

void Printer::performance_directives(const std::vector<FunctionDirective>& directives) {
  for (const FunctionDirective& directive : directives) {
    text("\n.");
    text(directive.name);
    for (std::size_t i = 0; i < directive.values.size(); ++i) {
      text(i == 0 ? " " : ", ");
      number(directive.values[i]);
    }
  }
}

void Printer::body(const Function& function) {
  registers(function);
  for (const Variable& variable : function.variables) local_variable(function, variable);
  std::size_t next_label = 0, next_table = 0, next_pragma = 0;
  std::uint32_t last_loc = 0, printed_locs = 0;
  for (std::size_t i = 0; i <= function.body.size(); ++i) {
    for (; next_label < function.labels.size() && function.labels[next_label].position == i; ++next_label) {
      text(function.labels[next_label].name);
      text(":\n");
    }
    for (; next_table < function.tables.size() && function.tables[next_table].position == i; ++next_table)
      table(function, function.tables[next_table]);
    for (; next_pragma < function.pragmas.size() && function.pragmas[next_pragma].position == i; ++next_pragma) {
      text("\t.pragma \"");
      text(function.pragmas[next_pragma].text);
      text("\";\n");
    }
    if (i == function.body.size()) break;
    const Instruction& inst = function.body[i];
    locs_up_to(function, inst.where.loc, last_loc, printed_locs);
    text("\t");
    instruction(function, inst);
    text("\n");
  }
  locs_up_to(function, static_cast<std::uint32_t>(function.locs.size()), last_loc, printed_locs);
}

// Registers of one type that follow each other share a declaration; those of parameters stand in the header.
void Printer::registers(const Function& function) {
  std::vector<bool> in_header(function.registers.size());
  for (const auto* list : {&function.return_registers, &function.parameter_registers})
    for (std::uint32_t reg : *list)
      if (reg != Function::no_register) in_header[reg] = true;
  for (std::size_t type = 0; type < static_cast<std::size_t>(Type::count_); ++type) {
    std::size_t in_line = 0;
    for (std::size_t i = 0; i < function.registers.size(); ++i) {
      const Register& reg = function.registers[i];
      if (static_cast<std::size_t>(reg.type) != type || in_header[i]) continue;
      if (in_line == 0) {
        text("\t.reg .");
        text(name(reg.type));
        text(" ");
      } else {
        text(", ");
      }
      text(reg.name);
      if (++in_line == registers_in_a_line) {
        text(";\n");
        in_line = 0;
      }
    }
    if (in_line != 0) text(";\n");
  }
}

void Printer::table(const Function& function, const Table& t) {
  text(t.name);
  switch (t.kind) {
    case Table::Kind::branch_targets: text(": .branchtargets "); break;
    case Table::Kind::call_targets: text(": .calltargets "); break;
    case Table::Kind::call_prototype: text(": .callprototype "); break;
  }
  for (std::size_t i = 0; i < t.targets.size(); ++i) {
    if (i != 0) text(", ");
    text(t.kind == Table::Kind::branch_targets ? function.labels[t.targets[i]].name
                                               : module_.functions[t.targets[i]].name);
  }
  if (t.kind == Table::Kind::call_prototype) {
    if (!t.returns.empty()) {
      parameter_list(function, t.returns, {});
      text(" ");
    }
    text("_ ");
    parameter_list(function, t.parameters, {});
    if (t.noreturn) text(" .noreturn");
    performance_directives(t.directives);
  }
  text(";\n");
}

// Locations that no instruction has are written too: later ones may name them as the place they were inlined at.
void Printer::locs_up_to(const Function& function, std::uint32_t wanted, std::uint32_t& last, std::uint32_t& printed) {
  if (wanted == last || wanted == 0) return;
  if (wanted <= printed) loc(function.locs[wanted - 1]);
  for (; printed < wanted; ++printed) loc(function.locs[printed]);
  last = wanted;
}

void Printer::loc(const Loc& loc) {
  text("\t.loc ");
  number(loc.file);
  text(" ");
  number(loc.line);
  text(" ");
  number(loc.column);
  if (!loc.function_name.empty()) {
    text(", function_name ");
    text(loc.function_name);
  }
  if (loc.inlined_file != 0 || loc.inlined_line != 0 || loc.inlined_column != 0) {
    text(", inlined_at ");
    number(loc.inlined_file);
    text(" ");
    number(loc.inlined_line);
    text(" ");
    number(loc.inlined_column);
  }
  text("\n");
}

}  // namespace heddle::ptx
