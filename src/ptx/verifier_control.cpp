// Branches and calls: labels, tables, callees and their arguments.
#include "ptx/type_rules.hpp"
#include "ptx/verifier_impl.hpp"

namespace heddle::ptx::verify_detail {
namespace {

void check_label(const Context& c, const Instruction& inst, const Operand& target) {
  if (target.kind != OperandKind::label || target.index >= c.function.labels.size())
    c.report.error("The target of " + mnemonic(inst) + " is no label of " + c.function.name + ".");
}

const Table* find_table(const Context& c, const Operand& operand) {
  const bool found = operand.kind == OperandKind::table && operand.index < c.function.tables.size();
  return found ? &c.function.tables[operand.index] : nullptr;
}

void check_table_branch(const Context& c, const Instruction& inst, const Operand& targets) {
  const Table* table = find_table(c, targets);
  if (!table || table->kind != Table::Kind::branch_targets)
    c.report.error("The targets of " + mnemonic(inst) + " are no .branchtargets of " + c.function.name + ".");
}

// What a call must match: a function, or a prototype.
struct Signature {
  std::string name;
  const std::vector<Variable>* returns = nullptr;
  const std::vector<Variable>* parameters = nullptr;
};

const char* noun(bool results) { return results ? "result" : "argument"; }

std::string count(std::size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

void check_argument(const Context& c, const Signature& s, const Operand& argument, const Variable& parameter,
                    bool result) {
  const std::string what = std::string("The ") + noun(result) + " for " + parameter.name + " of " + s.name;
  switch (argument.kind) {
    case OperandKind::symbol: {
      const Variable* variable = find_variable(c.module, c.function, argument.symbol);
      if (!variable || variable->space != Space::param)
        return c.report.error(what + " is no .param variable or register.");
      if (!parameter.unsized() && variable->size() != parameter.size())
        c.report.error(what + " is " + variable->name + " of " + count(variable->size(), "byte") + "; expected " +
                       count(parameter.size(), "byte") + ".");
      return;
    }
    case OperandKind::reg: {
      if (argument.index >= c.function.registers.size())
        return c.report.error(what + " is a register that does not exist.");
      const Register& reg = c.function.registers[argument.index];
      if (reg.type == Type::pred ? parameter.type != Type::pred : bit_width(reg.type) != 8 * parameter.size())
        c.report.error(what + " is " + reg.name + ", a ." + std::string(name(reg.type)) + " register; expected " +
                       count(parameter.size(), "byte") + ".");
      return;
    }
    case OperandKind::integer:
    case OperandKind::real:
      if (result) c.report.error(what + " is a constant; a result needs a .param variable or a register.");
      return;
    case OperandKind::sink:
      if (!result) c.report.error(what + " is _; an argument needs a value.");
      return;
    default: return c.report.error(what + " is no .param variable, register or constant.");
  }
}

void check_list(const Context& c, const Signature& s, const Operand& list, const std::vector<Variable>& expected,
                bool results) {
  const std::size_t n = list.present() ? list.elements.size() : 0;
  if (n != expected.size())
    return c.report.error("The call of " + s.name + " has " + count(n, noun(results)) + "; expected " +
                          std::to_string(expected.size()) + ".");
  for (std::size_t i = 0; i < n; ++i) check_argument(c, s, list.elements[i], expected[i], results);
}

void check_signature(const Context& c, const Instruction& inst, const Signature& s) {
  check_list(c, s, inst.operands[0], *s.returns, true);
  check_list(c, s, inst.operands[2], *s.parameters, false);
}

void check_direct_call(const Context& c, const Instruction& inst) {
  const Function* callee = find_function(c.module, inst.operands[1].symbol);
  if (!callee) return c.report.error("The callee of " + mnemonic(inst) + " is no function.");
  if (callee->is_entry)
    return c.report.error("The callee " + callee->name + " is a kernel; only a .func can be called.");
  check_signature(c, inst, {callee->name, &callee->returns, &callee->parameters});
}

void check_indirect_call(const Context& c, const Instruction& inst) {
  const Operand& pointer = inst.operands[1];
  if (pointer.index >= c.function.registers.size())
    return c.report.error("The callee of " + mnemonic(inst) + " is a register that does not exist.");
  const Register& reg = c.function.registers[pointer.index];
  if (reg.type == Type::pred || is_float(reg.type) || (bit_width(reg.type) != 32 && bit_width(reg.type) != 64))
    return c.report.error("The callee of " + mnemonic(inst) + " is " + reg.name + ", a ." +
                          std::string(name(reg.type)) +
                          " register; expected a 32- or 64-bit integer or untyped register.");
  const Operand& list = inst.operands[3];
  const Table* table = find_table(c, list);
  if (table && table->kind == Table::Kind::call_prototype)
    return check_signature(c, inst, {"the prototype " + table->name, &table->returns, &table->parameters});
  if (table && table->kind == Table::Kind::call_targets) {
    for (std::uint32_t target : table->targets)
      if (target < c.module.functions.size()) {
        const Function& f = c.module.functions[target];
        check_signature(c, inst, {f.name, &f.returns, &f.parameters});
      }
    return;
  }
  c.report.error("An indirect call needs a .callprototype or .calltargets after its arguments.");
}

void check_call(const Context& c, const Instruction& inst) {
  if (inst.operands[1].kind == OperandKind::symbol) return check_direct_call(c, inst);
  check_indirect_call(c, inst);
}

}  // namespace

void check_control(const Context& c, const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::bra: return check_label(c, inst, inst.operands[0]);
    case Opcode::brx: return check_table_branch(c, inst, inst.operands[1]);
    case Opcode::call: return check_call(c, inst);
    default: return;
  }
}

}  // namespace heddle::ptx::verify_detail
