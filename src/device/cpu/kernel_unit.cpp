#include "device/cpu/kernel_unit.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "ptx/analysis/waiting/waiting.hpp"

namespace heddle::device::cpu {
namespace {

using Kind = ptx::SymbolRef::Kind;

bool is_module_space(ptx::Space space) { return space == ptx::Space::global || space == ptx::Space::constant; }

const ptx::Operand* prototype_of(const ptx::Function& caller, const ptx::Instruction& call) {
  for (const ptx::Operand& operand : call.operands)
    if (operand.kind == ptx::OperandKind::table &&
        caller.tables[operand.index].kind == ptx::Table::Kind::call_prototype)
      return &operand;
  return nullptr;
}

bool same_layout(const std::vector<ptx::Variable>& a, const std::vector<ptx::Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ptx::Variable& x, const ptx::Variable& y) {
    return x.size() == y.size() && x.alignment() == y.alignment();
  });
}

// Whether a call with the prototype can mean the function.
bool fits(const ptx::Function& function, const ptx::Table& prototype) {
  return same_layout(function.parameters, prototype.parameters) && same_layout(function.returns, prototype.returns);
}

class Extractor {
 public:
  Extractor(const ptx::Module& source, Lines lines) : source_(source), lines_(lines) {}

  KernelUnit run(std::uint32_t entry) {
    ptx::Module& module = unit_.module;
    module.version_major = source_.version_major;
    module.version_minor = source_.version_minor;
    module.targets = source_.targets;
    module.address_size = source_.address_size;
    module.module_pragmas = source_.module_pragmas;
    unit_.kernel = function(entry);
    // The lists grow while they are worked through.
    while (next_function_ < functions_.size() || next_variable_ < unit_.variables.size()) {
      while (next_function_ < functions_.size()) rewrite_function(next_function_++);
      while (next_variable_ < unit_.variables.size()) rewrite_variable(next_variable_++);
    }
    for (const ptx::Alias& alias : source_.aliases)
      if (module.find(alias.target) != nullptr) module.aliases.push_back(alias);
    number();
    return std::move(unit_);
  }

 private:
  // The new index of a function or variable of the source; takes it in when it is new.
  std::uint32_t function(std::uint32_t index) {
    const auto [known, is_new] = function_index_.emplace(index, static_cast<std::uint32_t>(functions_.size()));
    if (is_new) {
      const std::uint32_t number = known->second;
      functions_.push_back(index);
      unit_.module.functions.push_back(source_.functions[index]);
      take_in_definition(source_.functions[index]);
      return number;
    }
    return known->second;
  }
  // What a declaration stands for, under its own name or through an alias.
  void take_in_definition(const ptx::Function& declaration) {
    if (!declaration.is_declaration) return;
    const auto take = [&](const std::string& name) {
      for (std::uint32_t i = 0; i < source_.functions.size(); ++i)
        if (!source_.functions[i].is_declaration && source_.functions[i].name == name) function(i);
    };
    take(declaration.name);
    for (const ptx::Alias& alias : source_.aliases)
      if (alias.name == declaration.name) take(alias.target);
  }
  std::uint32_t variable(KernelUnit::VariableSource from) {
    const auto [known, is_new] = variable_index_.emplace(from, static_cast<std::uint32_t>(unit_.variables.size()));
    if (is_new) {
      unit_.variables.push_back(from);
      if (from.function == KernelUnit::module_scope) {
        unit_.module.variables.push_back(source_.variables[from.index]);
      } else {
        const ptx::Function& owner = source_.functions[from.function];
        ptx::Variable copy = owner.variables[from.index];
        copy.name = owner.name + "$" + copy.name;
        unit_.module.variables.push_back(std::move(copy));
      }
    }
    return known->second;
  }

  void rewrite_symbol(ptx::SymbolRef& symbol, std::uint32_t owner) {
    switch (symbol.kind) {
      case Kind::function: symbol.index = function(symbol.index); break;
      case Kind::module_variable: symbol.index = variable({KernelUnit::module_scope, symbol.index}); break;
      case Kind::local_variable:
        if (owner != KernelUnit::module_scope &&
            is_module_space(source_.functions[owner].variables[symbol.index].space)) {
          symbol.index = variable({owner, symbol.index});
          symbol.kind = Kind::module_variable;
        }
        break;
      case Kind::parameter:
      case Kind::return_parameter: break;
    }
  }
  void rewrite_operand(ptx::Operand& operand, std::uint32_t owner) {
    if (operand.kind == ptx::OperandKind::symbol || operand.base == ptx::OperandKind::symbol) {
      rewrite_symbol(operand.symbol, owner);
    }
    for (ptx::Operand& element : operand.elements) rewrite_operand(element, owner);
  }
  void rewrite_function(std::size_t index) {
    const std::uint32_t owner = functions_[index];
    // Worked on apart: taking in other functions moves the list.
    ptx::Function copy = std::move(unit_.module.functions[index]);
    for (ptx::Instruction& inst : copy.body)
      for (ptx::Operand& operand : inst.operands) rewrite_operand(operand, owner);
    for (ptx::Table& table : copy.tables)
      if (table.kind == ptx::Table::Kind::call_targets)
        for (std::uint32_t& target : table.targets) target = function(target);
    for (ptx::Variable& local : copy.variables)
      if (!is_module_space(local.space)) rewrite_init(local, owner);
    name_targets(copy, source_.functions[owner]);
    unit_.module.functions[index] = std::move(copy);
  }
  // A call through an address may reach every function whose address the module has anywhere: another kernel may have
  // stored it, as one that makes an object with virtual functions does. In the unit the call has the list of them.
  void name_targets(ptx::Function& copy, const ptx::Function& caller) {
    for (const ptx::Instruction& inst : caller.body) {
      const ptx::Operand* named = inst.opcode == ptx::Opcode::call ? prototype_of(caller, inst) : nullptr;
      if (named == nullptr) continue;
      ptx::Table& table = copy.tables[named->index];
      if (table.kind != ptx::Table::Kind::call_prototype) continue;  // of an earlier call
      std::vector<std::uint32_t> targets;
      for (const std::uint32_t target : ptx::analysis::possible_callees(source_, caller, inst))
        if (fits(source_.functions[target], table)) targets.push_back(function(target));
      if (targets.empty()) continue;
      table.kind = ptx::Table::Kind::call_targets;
      table.targets = std::move(targets);
      table.returns.clear();
      table.parameters.clear();
    }
  }
  void rewrite_init(ptx::Variable& changed, std::uint32_t owner) {
    for (ptx::InitValue& value : changed.init) {
      const bool is_symbol =
          value.kind == ptx::InitValue::Kind::symbol || value.kind == ptx::InitValue::Kind::generic_symbol;
      if (is_symbol) rewrite_symbol(value.symbol, owner);
    }
  }
  void rewrite_variable(std::size_t index) {
    ptx::Variable copy = std::move(unit_.module.variables[index]);
    rewrite_init(copy, unit_.variables[index].function);
    unit_.module.variables[index] = std::move(copy);
  }
  void number() {
    for (std::size_t f = 0; f < functions_.size(); ++f) {
      ptx::Function& copy = unit_.module.functions[f];
      copy.locs.clear();  // places lead back to the source, which has them
      for (std::size_t i = 0; i < copy.body.size(); ++i) {
        unit_.places.push_back({functions_[f], static_cast<std::uint32_t>(i)});
        ptx::SourceLocation& where = copy.body[i].where;
        where.loc = 0;
        if (lines_ == Lines::numbered) where = {static_cast<std::uint32_t>(unit_.places.size()), 0, 0};
      }
    }
  }

  const ptx::Module& source_;
  const Lines lines_;
  KernelUnit unit_;
  std::vector<std::uint32_t> functions_;  // source index of each function of the unit
  std::map<std::uint32_t, std::uint32_t> function_index_;
  std::map<KernelUnit::VariableSource, std::uint32_t> variable_index_;
  std::size_t next_function_ = 0, next_variable_ = 0;
};

}  // namespace

KernelUnit extract_kernel(const ptx::Module& source, std::uint32_t entry, Lines lines) {
  return Extractor(source, lines).run(entry);
}

}  // namespace heddle::device::cpu
