#include "ptx/verifier.hpp"

#include <algorithm>

#include "heddle/error.hpp"
#include "ptx/form_match.hpp"
#include "ptx/form_rules.hpp"
#include "ptx/verifier_impl.hpp"

namespace heddle::ptx {
namespace verify_detail {

Target target_of(const Module& module) {
  for (const std::string& text : module.targets) {
    if (!text.starts_with("sm_")) continue;
    Target target;
    std::size_t at = 3;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && target.sm < 10000)
      target.sm = target.sm * 10 + static_cast<unsigned>(text[at++] - '0');
    if (at < text.size()) target.feature = text[at];
    return target;
  }
  return {};
}

const Variable* find_variable(const Module& module, const Function& function, const SymbolRef& symbol) {
  const auto at = [&](const std::vector<Variable>& list) {
    return symbol.index < list.size() ? &list[symbol.index] : nullptr;
  };
  switch (symbol.kind) {
    case SymbolRef::Kind::module_variable: return at(module.variables);
    case SymbolRef::Kind::local_variable: return at(function.variables);
    case SymbolRef::Kind::parameter: return at(function.parameters);
    case SymbolRef::Kind::return_parameter: return at(function.returns);
    case SymbolRef::Kind::function: return nullptr;
  }
  return nullptr;
}

const Function* find_function(const Module& module, const SymbolRef& symbol) {
  const bool found = symbol.kind == SymbolRef::Kind::function && symbol.index < module.functions.size();
  return found ? &module.functions[symbol.index] : nullptr;
}

std::string symbol_name(const Module& module, const Function& function, const SymbolRef& symbol) {
  if (const Variable* variable = find_variable(module, function, symbol)) return variable->name;
  if (const Function* f = find_function(module, symbol)) return f->name;
  return "?";
}

std::string mnemonic(const Instruction& inst) {
  std::string text(inst.opcode < Opcode::count_ ? name(inst.opcode) : "?");
  for (Modifier m : inst.modifiers) text += "." + std::string(name(m));
  return text;
}

namespace {

void check_guard(const Context& c, const Instruction& inst) {
  if (!inst.guard.present) return;
  if (inst.guard.reg >= c.function.registers.size())
    return c.report.error("The guard of " + mnemonic(inst) + " is a register that does not exist.");
  const Register& reg = c.function.registers[inst.guard.reg];
  if (reg.type != Type::pred)
    c.report.error("The guard " + reg.name + " of " + mnemonic(inst) + " is a ." + std::string(name(reg.type)) +
                   " register; a guard is a predicate.");
}

// Newer suffixes than the module's version or target has: only a warning, as ptxas may be newer than the text.
void check_since(const Context& c, const Instruction& inst, const FormRef& form) {
  const Since first = since(*form.form, inst.modifiers);
  const unsigned version = c.module.version_major * 10 + c.module.version_minor;
  const bool old_version = version != 0 && version < first.ptx;
  const bool old_target = c.target.sm != 0 && c.target.sm < first.sm;
  if ((!old_version && !old_target) || !c.warned.insert(inst.form).second) return;
  std::string text = mnemonic(inst) + " needs ";
  if (old_version) text += "PTX " + std::to_string(first.ptx / 10) + "." + std::to_string(first.ptx % 10);
  if (old_version && old_target) text += " and ";
  if (old_target)
    text += "target sm_" + std::to_string(first.sm) + (first.feature ? std::string(1, first.feature) : "");
  c.report.warning(text + "; the module says PTX " + std::to_string(c.module.version_major) + "." +
                   std::to_string(c.module.version_minor) + " and sm_" + std::to_string(c.target.sm) + ".");
}

// mad.f32 had a rounding of its own on the first targets only; since sm_20 it must say which.
void check_early_mad(const Context& c, const Instruction& inst) {
  if (inst.opcode == Opcode::mad && inst.d.type == Type::f32 && inst.d.rounding == Rounding::none && c.target.sm >= 20)
    c.report.error(mnemonic(inst) + " needs a rounding (.rn, .rz, .rm or .rp) on sm_" + std::to_string(c.target.sm) +
                   ".");
}

void check_instruction(const Context& c, const Instruction& inst) {
  c.report.at(inst.where.line, inst.where.column);
  check_guard(c, inst);
  if (!check_operands(c, inst)) return;
  check_control(c, inst);
  check_early_mad(c, inst);
  check_since(c, inst, form_of(inst));
}

void check_labels(const Context& c) {
  c.report.at(c.function.line);
  for (const Label& label : c.function.labels)
    if (label.position > c.function.body.size())
      c.report.error("Label " + label.name + " of " + c.function.name + " stands behind the end of the body.");
  for (const Table& table : c.function.tables) {
    const bool branches = table.kind == Table::Kind::branch_targets;
    const std::size_t limit = branches ? c.function.labels.size() : c.module.functions.size();
    for (std::uint32_t target : table.targets)
      if (target >= limit)
        c.report.error("Table " + table.name + " of " + c.function.name + " names a " +
                       (branches ? "label" : "function") + " that does not exist.");
    if (table.kind != Table::Kind::call_prototype && table.targets.empty())
      c.report.error("Table " + table.name + " of " + c.function.name + " is empty.");
  }
}

void check_function(const Context& c) {
  check_function_header(c.module, c.function, c.report);
  check_labels(c);
  for (const Instruction& inst : c.function.body) check_instruction(c, inst);
}

}  // namespace
}  // namespace verify_detail

std::vector<Finding> find_problems(const Module& module) {
  verify_detail::Report report;
  verify_detail::check_module(module, report);
  std::unordered_set<FormId> warned;
  const verify_detail::Target target = verify_detail::target_of(module);
  for (const Function& function : module.functions)
    verify_detail::check_function({module, function, report, target, warned});
  return report.take();
}

void verify(const Module& module, std::string_view file_name) {
  for (const Finding& finding : find_problems(module)) {
    if (finding.severity != Finding::Severity::error) continue;
    throw Error(ErrorCode::parse_error, std::string(file_name) + ":" + std::to_string(finding.line) + ":" +
                                            std::to_string(finding.column) + ": " + finding.message);
  }
}

}  // namespace heddle::ptx
