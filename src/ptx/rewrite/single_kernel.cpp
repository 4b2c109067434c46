#include "ptx/rewrite/single_kernel.hpp"

#include <algorithm>
#include <map>

#include "ptx/link/reference.hpp"
#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/inline_calls.hpp"

namespace heddle::ptx {
namespace {

constexpr std::uint64_t address_bytes = 8, most_constant_bytes = 64 * 1024;
constexpr unsigned callee_slot = 1;

bool is_module_variable(const SymbolRef& ref) { return ref.kind == SymbolRef::Kind::module_variable; }

bool names_symbol(const Operand& operand) {
  return operand.kind == OperandKind::symbol ||
         (operand.kind == OperandKind::address && operand.base == OperandKind::symbol);
}

bool names_function(const Operand& operand) {
  return (names_symbol(operand) && operand.symbol.kind == SymbolRef::Kind::function) ||
         std::any_of(operand.elements.begin(), operand.elements.end(), names_function);
}

bool holds_function(const Variable& variable) {
  return std::any_of(variable.init.begin(), variable.init.end(), [](const InitValue& value) {
    const bool symbol = value.kind == InitValue::Kind::symbol || value.kind == InitValue::Kind::generic_symbol;
    return symbol && value.symbol.kind == SymbolRef::Kind::function;
  });
}

bool is_opaque(const Variable& variable) {
  return variable.type == Type::texref || variable.type == Type::samplerref || variable.type == Type::surfref;
}

bool has_memory(const Variable& variable) {
  return variable.space == Space::global || variable.space == Space::constant;
}

std::optional<std::string> refusal_of(const Variable& variable) {
  if (is_opaque(variable)) return "'" + variable.name + "' is a texture, sampler or surface of the module";
  if (variable.unified) return "'" + variable.name + "' is .unified";
  if (holds_function(variable)) return "'" + variable.name + "' holds the address of a function";
  if (has_memory(variable) && variable.linkage == Linkage::external)
    return "'" + variable.name + "' is not defined in the module";
  return std::nullopt;
}

std::optional<std::string> refusal_of(const Function& function) {
  const auto in = [&](const Instruction& inst) {
    return "'" + function.name + "' in line " + std::to_string(inst.where.line);
  };
  for (const Variable& variable : function.variables)
    if (has_memory(variable)) return "'" + variable.name + "' is a variable of '" + function.name + "' itself";
  for (const Variable& parameter : function.parameters)
    if (parameter.pointer_space == Space::constant)
      return "'" + function.name + "' is given an address in constant memory";
  for (const Instruction& inst : function.body) {
    if (inst.opcode == Opcode::cvta && inst.d.space == Space::constant)
      return in(inst) + " makes an address of constant memory a generic one";
    for (unsigned i = 0; i < inst.operands.size(); ++i)
      if ((inst.opcode != Opcode::call || i != callee_slot) && names_function(inst.operands[i]))
        return in(inst) + " takes the address of a function";
  }
  return std::nullopt;
}

// What a function leads to.
class Taker {
 public:
  explicit Taker(const Module& module) : module_(module) {}

  Module take(std::uint32_t function, std::uint32_t& place) {
    function = definition_of(module_, function);
    todo_.push_back(function);
    while (!todo_.empty()) {
      const std::uint32_t next = todo_.back();
      todo_.pop_back();
      visit(next);
    }
    Module made;
    made.version_major = module_.version_major;
    made.version_minor = module_.version_minor;
    made.address_size = module_.address_size;
    for (const std::string& target : module_.targets)
      if (target != "debug") made.targets.push_back(target);
    made.files = module_.files;
    made.module_pragmas = module_.module_pragmas;
    number(variables_);
    number(functions_);
    for (auto& [old, variable] : variables_) made.variables.push_back(moved(variable.copy));
    for (auto& [old, taken] : functions_) made.functions.push_back(without_sections(moved(taken.copy)));
    place = functions_.at(function).place;
    return made;
  }

 private:
  template <class Thing>
  struct Taken {
    Thing copy;
    std::uint32_t place = 0;
  };

  void visit(std::uint32_t function) {
    const auto [taken, is_new] = functions_.try_emplace(function);
    if (!is_new) return;
    taken->second.copy = module_.functions[function];
    if (const std::uint32_t defined = definition_of(module_, function); defined != function) todo_.push_back(defined);
    for_each_reference(taken->second.copy, [&](const SymbolRef& ref) { see(ref); });
  }

  void see(const SymbolRef& ref) {
    if (ref.kind == SymbolRef::Kind::function) todo_.push_back(ref.index);
    if (!is_module_variable(ref)) return;
    const auto [taken, is_new] = variables_.try_emplace(ref.index);
    if (!is_new) return;
    taken->second.copy = module_.variables[ref.index];
    for_each_reference(taken->second.copy, [&](const SymbolRef& other) { see(other); });
  }

  template <class Thing>
  static void number(std::map<std::uint32_t, Taken<Thing>>& all) {
    std::uint32_t next = 0;
    for (auto& [old, taken] : all) taken.place = next++;
  }

  template <class Thing>
  Thing moved(Thing& thing) const {
    for_each_reference(thing, [&](SymbolRef& ref) {
      if (ref.kind == SymbolRef::Kind::function) ref.index = functions_.at(ref.index).place;
      if (is_module_variable(ref)) ref.index = variables_.at(ref.index).place;
    });
    return std::move(thing);
  }

  static Function without_sections(Function function) {
    for (Loc& loc : function.locs) {
      loc.function_name.clear();  // a place in a section
      loc.inlined_file = loc.inlined_line = loc.inlined_column = 0;
    }
    return function;
  }

  const Module& module_;
  std::vector<std::uint32_t> todo_;
  std::map<std::uint32_t, Taken<Variable>> variables_;  // by index in the module
  std::map<std::uint32_t, Taken<Function>> functions_;
};

// Writes functions anew with addresses from the table in the place of global variables.
class Sharer {
 public:
  explicit Sharer(Module& module) : module_(module), stem_(unused_stem(module)) {}

  SharedVariables share() {
    std::vector<Variable> kept;
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      Variable& variable = module_.variables[i];
      if (variable.space == Space::global) {
        slots_[i] = static_cast<std::uint32_t>(made_.global.size());
        made_.global.push_back(variable.name);
        continue;
      }
      places_[i] = static_cast<std::uint32_t>(kept.size());
      if (variable.space == Space::constant) {
        made_.constant.push_back(variable.name);
        variable.init.clear();
        variable.linkage = Linkage::visible;
      }
      kept.push_back(std::move(variable));
    }
    table_ = static_cast<std::uint32_t>(kept.size());
    if (!made_.global.empty()) kept.push_back(make_table());
    module_.variables = std::move(kept);
    for (Function& function : module_.functions) rewrite(function);
    return std::move(made_);
  }

 private:
  Variable make_table() {
    Variable table;
    made_.table = table.name = stem_ + "variables";
    table.space = Space::constant;
    table.type = Type::u64;
    table.dims = {made_.global.size()};
    table.linkage = Linkage::visible;
    return table;
  }

  void rewrite(Function& function) {
    BodyEditor editor(function, stem_);
    for (std::size_t i = 0; i < editor.size(); ++i) {
      editor.begin(i);
      Instruction inst = editor.take(i);
      bool changed = false;
      for (Operand& operand : inst.operands) changed |= rewrite(editor, operand);
      if (changed) decode(inst);
      editor.emit(std::move(inst));
    }
    editor.begin(editor.size());
    editor.finish();
  }

  // Whether the operand has become another kind of one.
  bool rewrite(BodyEditor& editor, Operand& operand) {
    bool changed = false;
    for (Operand& element : operand.elements) changed |= rewrite(editor, element);
    if (!names_symbol(operand) || !is_module_variable(operand.symbol)) return changed;
    const auto slot = slots_.find(operand.symbol.index);
    if (slot == slots_.end()) {
      operand.symbol.index = places_.at(operand.symbol.index);
      return changed;
    }
    const auto offset = static_cast<std::int64_t>(slot->second * address_bytes);
    const Operand place = Operand::make_address_symbol({SymbolRef::Kind::module_variable, table_}, offset);
    std::uint32_t address = editor.compute(Type::b64, Opcode::ld, {Modifier::const_, modifier_of(Type::u64)}, {place});
    if (operand.kind == OperandKind::address) {
      operand.base = OperandKind::reg;
      operand.index = address;
      operand.symbol = {};
      return true;
    }
    if (operand.value != 0)
      address = editor.compute(Type::b64, Opcode::add, {modifier_of(Type::s64)},
                               {Operand::make_reg(address), Operand::make_integer(operand.value)});
    operand = Operand::make_reg(address);
    return true;
  }

  Module& module_;
  std::string stem_;
  SharedVariables made_;
  std::map<std::uint32_t, std::uint32_t> slots_, places_;  // by old index: in the table, among those that are kept
  std::uint32_t table_ = 0;
};

}  // namespace

std::optional<std::string> find_single_kernel_refusal(const Module& module) {
  if (module.address_size != 64) return "the module has addresses of " + std::to_string(module.address_size) + " bits";
  if (!module.aliases.empty()) return "'" + module.aliases.front().name + "' is an alias";
  std::uint64_t constant = 0;
  for (const Variable& variable : module.variables) {
    if (auto refusal = refusal_of(variable)) return refusal;
    constant += variable.space == Space::constant ? variable.size() + variable.alignment() : 0;
    constant += variable.space == Space::global ? address_bytes : 0;
  }
  if (constant > most_constant_bytes) return "constant memory has no room for the addresses of the module's variables";
  for (const Function& function : module.functions)
    if (auto refusal = refusal_of(function)) return refusal;
  return std::nullopt;
}

Module take_function(const Module& module, std::uint32_t function, std::uint32_t& place) {
  return Taker(module).take(function, place);
}

SharedVariables share_variables(Module& module) { return Sharer(module).share(); }

}  // namespace heddle::ptx
