#include "ptx/rewrite/inline_calls.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "ptx/rewrite/branch.hpp"

namespace heddle::ptx {

std::uint32_t definition_of(const Module& module, std::uint32_t function) {
  if (!module.functions[function].is_declaration) return function;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i)
    if (!module.functions[i].is_declaration && module.functions[i].name == module.functions[function].name) return i;
  for (const Alias& alias : module.aliases) {
    if (alias.name != module.functions[function].name) continue;
    for (std::uint32_t i = 0; i < module.functions.size(); ++i)
      if (!module.functions[i].is_declaration && module.functions[i].name == alias.target) return i;
  }
  return function;
}

namespace {

// Slots of a call: result list, callee, argument list, prototype or table.
constexpr unsigned results_slot = 0, callee_slot = 1, arguments_slot = 2;

std::optional<std::uint32_t> direct_callee(const Instruction& inst) {
  if (inst.opcode != Opcode::call) return std::nullopt;
  const Operand& callee = inst.operands[callee_slot];
  if (callee.kind != OperandKind::symbol || callee.symbol.kind != SymbolRef::Kind::function) return std::nullopt;
  return callee.symbol.index;
}

void visit_operands(std::vector<Operand>& operands, const auto& visit) {
  for (Operand& operand : operands) {
    visit(operand);
    visit_operands(operand.elements, visit);
  }
}

// Copies one callee into the caller, in place of one call.
class Inliner {
 public:
  Inliner(Function& caller, std::vector<Instruction>& out, std::vector<Label>& labels)
      : caller_(caller), out_(out), labels_(labels) {}

  // .shared variables of each callee, by (callee index, variable): their place in the caller.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> shared_places;
  unsigned count = 0;  // of copies made so far: keeps names unique

  void copy(const Instruction& call, std::uint32_t callee_index, const Function& callee) {
    register_base_ = static_cast<std::uint32_t>(caller_.registers.size());
    for (const Register& reg : callee.registers) caller_.registers.push_back({unique(reg.name), reg.type});
    place_variables(callee_index, callee);
    label_base_ = static_cast<std::uint32_t>(labels_.size());
    for (std::size_t i = 0; i < callee.labels.size(); ++i) labels_.push_back({unique(callee.labels[i].name), 0});
    const auto end_label = static_cast<std::uint32_t>(labels_.size());
    labels_.push_back({unique("$inlined"), 0});
    table_base_ = static_cast<std::uint32_t>(caller_.tables.size());
    copy_tables(callee);
    loc_base_ = static_cast<std::uint32_t>(caller_.locs.size());
    caller_.locs.insert(caller_.locs.end(), callee.locs.begin(), callee.locs.end());

    const std::uint32_t skip_label = begin_guard(call);
    bind_arguments(call, callee);
    copy_body(callee, end_label);
    labels_[end_label].position = static_cast<std::uint32_t>(out_.size());
    return_results(call, callee);
    if (skip_label != none) labels_[skip_label].position = static_cast<std::uint32_t>(out_.size());
    ++count;
  }

 private:
  static constexpr std::uint32_t none = ~0u;

  std::string unique(const std::string& name) const { return name + "_inl" + std::to_string(count); }

  // A guarded call becomes a branch around the body.
  std::uint32_t begin_guard(const Instruction& call) {
    if (!call.guard.present) return none;
    const auto label = static_cast<std::uint32_t>(labels_.size());
    labels_.push_back({unique("$skipped"), 0});
    Instruction skip = branch_to(label, call.where);
    skip.guard = call.guard;
    skip.guard.negated = !skip.guard.negated;
    out_.push_back(std::move(skip));
    return label;
  }

  static Instruction move(Type type, Operand to, Operand from, const SourceLocation& where) {
    Instruction mov;
    mov.opcode = Opcode::mov;
    mov.where = where;
    mov.modifiers.push_back(modifier_of(type));
    mov.d.type = type;
    mov.operands = {std::move(to), std::move(from)};
    return mov;
  }

  static Instruction param_access(Opcode opcode, Type type, Operand value, SymbolRef symbol,
                                  const SourceLocation& where) {
    Instruction inst;
    inst.opcode = opcode;
    inst.where = where;
    inst.modifiers.push_back(Modifier::param);
    inst.modifiers.push_back(modifier_of(type));
    inst.d.space = Space::param;
    inst.d.type = type;
    Operand address = Operand::make_address_symbol(symbol);
    if (opcode == Opcode::ld)
      inst.operands = {std::move(value), std::move(address), {}};
    else
      inst.operands = {std::move(address), std::move(value), {}};
    return inst;
  }

  std::uint32_t add_variable(Variable variable) {
    variable.name = unique(variable.name);
    caller_.variables.push_back(std::move(variable));
    return static_cast<std::uint32_t>(caller_.variables.size() - 1);
  }

  void place_variables(std::uint32_t callee_index, const Function& callee) {
    variable_places_.clear();
    for (std::uint32_t i = 0; i < callee.variables.size(); ++i) {
      if (callee.variables[i].space != Space::shared) {
        variable_places_.push_back(add_variable(callee.variables[i]));
        continue;
      }
      const auto [it, fresh] = shared_places.try_emplace({callee_index, i}, 0);
      if (fresh) it->second = add_variable(callee.variables[i]);
      variable_places_.push_back(it->second);
    }
  }

  void copy_tables(const Function& callee) {
    for (Table table : callee.tables) {
      table.name = unique(table.name);
      if (table.kind == Table::Kind::branch_targets)
        for (std::uint32_t& target : table.targets) target += label_base_;
      caller_.tables.push_back(std::move(table));
    }
  }

  static bool in_registers(const std::vector<std::uint32_t>& registers, std::size_t i) {
    return i < registers.size() && registers[i] != none;
  }

  void bind_arguments(const Instruction& call, const Function& callee) {
    parameter_places_.clear();
    return_places_.clear();
    static const std::vector<Operand> no_operands;
    const auto list = [&](unsigned slot) -> const std::vector<Operand>& {
      return slot < call.operands.size() ? call.operands[slot].elements : no_operands;
    };
    for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
      const Operand& argument = list(arguments_slot)[i];
      const Variable& parameter = callee.parameters[i];
      SymbolRef place;
      if (in_registers(callee.parameter_registers, i)) {
        out_.push_back(move(parameter.type, Operand::make_reg(register_base_ + callee.parameter_registers[i]), argument,
                            call.where));
      } else if (argument.kind == OperandKind::symbol) {
        place = argument.symbol;
      } else {
        place = {SymbolRef::Kind::local_variable, add_variable(parameter)};
        out_.push_back(param_access(Opcode::st, parameter.type, argument, place, call.where));
      }
      parameter_places_.push_back(place);
    }
    for (std::size_t i = 0; i < callee.returns.size(); ++i) {
      SymbolRef place;
      if (!in_registers(callee.return_registers, i)) {
        if (i < list(results_slot).size() && list(results_slot)[i].kind == OperandKind::symbol)
          place = list(results_slot)[i].symbol;
        else
          place = {SymbolRef::Kind::local_variable, add_variable(callee.returns[i])};
      }
      return_places_.push_back(place);
    }
  }

  void return_results(const Instruction& call, const Function& callee) {
    for (std::size_t i = 0; i < callee.returns.size() && i < call.operands[results_slot].elements.size(); ++i) {
      const Operand& result = call.operands[results_slot].elements[i];
      if (!result.is_reg()) continue;
      if (in_registers(callee.return_registers, i))
        out_.push_back(move(callee.returns[i].type, result,
                            Operand::make_reg(register_base_ + callee.return_registers[i]), call.where));
      else
        out_.push_back(param_access(Opcode::ld, callee.returns[i].type, result, return_places_[i], call.where));
    }
  }

  void translate(Operand& operand) const {
    if (operand.kind == OperandKind::reg || (operand.kind == OperandKind::address && operand.base == OperandKind::reg))
      operand.index += register_base_;
    else if (operand.kind == OperandKind::label)
      operand.index += label_base_;
    else if (operand.kind == OperandKind::table)
      operand.index += table_base_;
    SymbolRef& symbol = operand.symbol;
    const bool has_symbol = operand.kind == OperandKind::symbol ||
                            (operand.kind == OperandKind::address && operand.base == OperandKind::symbol);
    if (!has_symbol) return;
    if (symbol.kind == SymbolRef::Kind::local_variable)
      symbol.index = variable_places_[symbol.index];
    else if (symbol.kind == SymbolRef::Kind::parameter)
      symbol = parameter_places_[symbol.index];
    else if (symbol.kind == SymbolRef::Kind::return_parameter)
      symbol = return_places_[symbol.index];
  }

  void copy_body(const Function& callee, std::uint32_t end_label) {
    std::vector<std::vector<std::uint32_t>> labels_at(callee.body.size() + 1);
    for (std::uint32_t i = 0; i < callee.labels.size(); ++i) labels_at[callee.labels[i].position].push_back(i);
    for (std::size_t i = 0; i <= callee.body.size(); ++i) {
      for (std::uint32_t label : labels_at[i])
        labels_[label_base_ + label].position = static_cast<std::uint32_t>(out_.size());
      if (i == callee.body.size()) break;
      Instruction inst = callee.body[i];
      if (inst.guard.present) inst.guard.reg += register_base_;
      if (inst.where.loc) inst.where.loc += loc_base_;
      if (inst.opcode == Opcode::ret) {
        const bool last = i + 1 == callee.body.size() && !inst.guard.present;
        if (last) continue;
        Instruction bra = branch_to(end_label, inst.where);
        bra.guard = inst.guard;
        out_.push_back(std::move(bra));
        continue;
      }
      visit_operands(inst.operands, [&](Operand& operand) { translate(operand); });
      out_.push_back(std::move(inst));
    }
  }

  Function& caller_;
  std::vector<Instruction>& out_;
  std::vector<Label>& labels_;
  std::uint32_t register_base_ = 0, label_base_ = 0, table_base_ = 0, loc_base_ = 0;
  std::vector<std::uint32_t> variable_places_;
  std::vector<SymbolRef> parameter_places_, return_places_;
};

// Of the function and of all that it can call, each counted once.
std::size_t reachable_instructions(const Module& module, const Function& function) {
  std::size_t count = function.body.size();
  std::vector<bool> seen(module.functions.size(), false);
  std::vector<std::uint32_t> work;
  const auto visit = [&](const Function& caller) {
    for (const Instruction& inst : caller.body) {
      const auto callee = direct_callee(inst);
      if (!callee) continue;
      const std::uint32_t target = definition_of(module, *callee);
      if (seen[target]) continue;
      seen[target] = true;
      work.push_back(target);
    }
  };
  visit(function);
  while (!work.empty()) {
    const Function& next = module.functions[work.back()];
    work.pop_back();
    count += next.body.size();
    visit(next);
  }
  return count;
}

void mark_cycles(const std::vector<std::vector<std::uint32_t>>& calls, std::vector<bool>& recursive) {
  for (std::uint32_t start = 0; start < calls.size(); ++start) {
    std::vector<bool> seen(calls.size(), false);
    std::vector<std::uint32_t> work = calls[start];
    while (!work.empty() && !recursive[start]) {
      const std::uint32_t f = work.back();
      work.pop_back();
      if (f == start) recursive[start] = true;
      if (seen[f]) continue;
      seen[f] = true;
      work.insert(work.end(), calls[f].begin(), calls[f].end());
    }
  }
}

}  // namespace

std::vector<bool> recursive_functions(const Module& module) {
  std::vector<std::vector<std::uint32_t>> calls(module.functions.size());
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    for (const Instruction& inst : module.functions[i].body)
      if (const auto callee = direct_callee(inst)) calls[i].push_back(definition_of(module, *callee));
  std::vector<bool> recursive(module.functions.size(), false);
  mark_cycles(calls, recursive);
  return recursive;
}

Function inline_calls(const Module& module, const Function& function, const InlineOptions& options) {
  const std::vector<bool> recursive = recursive_functions(module);
  const std::size_t most =
      std::min(options.max_instructions, options.least + options.growth * reachable_instructions(module, function));
  Function result = function;
  // Each round copies one level of calls; depth is bounded because recursive functions are left alone.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> shared_places;
  unsigned count = 0;
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Instruction> out;
    std::vector<Label> labels = result.labels;
    std::vector<Instruction> body = std::move(result.body);
    std::vector<std::vector<std::uint32_t>> labels_at(body.size() + 1);
    for (std::uint32_t i = 0; i < labels.size(); ++i) labels_at[labels[i].position].push_back(i);
    result.pragmas.clear();
    Inliner inliner(result, out, labels);
    inliner.shared_places = shared_places;
    inliner.count = count;
    std::size_t budget = most > body.size() ? most - body.size() : 0;
    for (std::size_t i = 0; i <= body.size(); ++i) {
      for (std::uint32_t label : labels_at[i]) labels[label].position = static_cast<std::uint32_t>(out.size());
      if (i == body.size()) break;
      const auto callee = direct_callee(body[i]);
      const std::uint32_t target = callee ? definition_of(module, *callee) : 0;
      const bool copy = callee && !module.functions[target].is_declaration && !module.functions[target].is_entry &&
                        !recursive[target] && module.functions[target].body.size() <= budget;
      if (!copy) {
        out.push_back(std::move(body[i]));
        continue;
      }
      budget -= module.functions[target].body.size();
      inliner.copy(body[i], target, module.functions[target]);
      changed = true;
    }
    shared_places = inliner.shared_places;
    count = inliner.count;
    result.body = std::move(out);
    result.labels = std::move(labels);
  }
  return result;
}

std::vector<std::uint32_t> remaining_callees(const Module& module, const Function& inlined) {
  std::vector<bool> wanted(module.functions.size(), false);
  std::vector<std::uint32_t> result;
  const auto want = [&](std::uint32_t f) {
    f = definition_of(module, f);
    if (wanted[f]) return;
    wanted[f] = true;
    result.push_back(f);
  };
  const auto scan = [&](const Function& function) {
    for (const Instruction& inst : function.body) {
      std::vector<Operand> operands = inst.operands;
      visit_operands(operands, [&](Operand& operand) {
        const bool symbol = operand.kind == OperandKind::symbol || operand.kind == OperandKind::address;
        if (symbol && operand.symbol.kind == SymbolRef::Kind::function) want(operand.symbol.index);
        if (operand.kind == OperandKind::table && function.tables[operand.index].kind == Table::Kind::call_targets)
          for (const std::uint32_t target : function.tables[operand.index].targets) want(target);
      });
    }
  };
  scan(inlined);
  for (std::size_t i = 0; i < result.size(); ++i) scan(module.functions[result[i]]);
  for (const Variable& variable : module.variables)
    for (const InitValue& value : variable.init)
      if (value.kind != InitValue::Kind::integer && value.kind != InitValue::Kind::real &&
          value.symbol.kind == SymbolRef::Kind::function)
        want(value.symbol.index);
  for (std::size_t i = 0; i < result.size(); ++i) scan(module.functions[result[i]]);
  return result;
}

}  // namespace heddle::ptx
