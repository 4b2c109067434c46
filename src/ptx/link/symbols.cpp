#include "ptx/link/symbols.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/fail.hpp"

namespace heddle::ptx {
namespace {

// What CUDA provides to kernels without a body.
constexpr std::array<std::string_view, 5> provided = {"vprintf", "malloc", "free", "__assertfail",
                                                      "cudaGraphSetConditional"};

}  // namespace

const std::string& SymbolTable::written_name(const Symbol& symbol) const {
  return symbol.kind == SymbolRef::Kind::function ? function(symbol).name : variable(symbol).name;
}

std::string SymbolTable::place(const Symbol& symbol) const {
  const std::uint32_t line = symbol.kind == SymbolRef::Kind::function ? function(symbol).line : variable(symbol).line;
  return inputs_[symbol.input].name + (line != 0 ? ":" + std::to_string(line) : "");
}

bool SymbolTable::is_alias(const Symbol& symbol) const {
  if (symbol.kind != SymbolRef::Kind::function) return false;
  const std::vector<Alias>& aliases = inputs_[symbol.input].module.aliases;
  return std::any_of(aliases.begin(), aliases.end(), [&](const Alias& a) { return a.name == written_name(symbol); });
}

bool SymbolTable::is_open(const Symbol& symbol) const {
  if (symbol.kind == SymbolRef::Kind::function) return function(symbol).is_declaration && !is_alias(symbol);
  return variable(symbol).linkage == Linkage::external;
}

bool SymbolTable::may_stay_open(const Symbol& symbol) const {
  if (symbol.kind == SymbolRef::Kind::function)
    return std::find(provided.begin(), provided.end(), function(symbol).name) != provided.end();
  return variable(symbol).space == Space::shared && variable(symbol).unsized();
}

// Known to its own module only.
bool SymbolTable::is_private(const Symbol& symbol) const {
  if (symbol.kind != SymbolRef::Kind::function) return variable(symbol).linkage == Linkage::internal;
  const Function& f = function(symbol);
  return f.linkage == Linkage::internal && !f.is_entry && !(f.is_declaration && !is_alias(symbol));
}

SymbolTable::Strength SymbolTable::strength(const Symbol& symbol) const {
  if (is_open(symbol)) return Strength::open;
  switch (symbol.kind == SymbolRef::Kind::function ? function(symbol).linkage : variable(symbol).linkage) {
    case Linkage::weak: return Strength::weak;
    case Linkage::common: return Strength::common;
    default: return Strength::strong;
  }
}

// The strongest; the first of the weak ones, the largest of the common ones, of those that are open one that says most.
const Symbol& SymbolTable::choose(const std::vector<Symbol>& candidates) const {
  const Symbol* best = &candidates.front();
  for (const Symbol& symbol : candidates) {
    if (&symbol == best) continue;
    const Strength mine = strength(symbol), its = strength(*best);
    if (mine == Strength::strong && its == Strength::strong)
      base::fail(ErrorCode::compile_error, "'{}' is defined twice: in {} and in {}", written_name(symbol), place(*best),
                 place(symbol));
    const bool larger = mine == its && mine == Strength::common && variable(symbol).size() > variable(*best).size();
    const bool aligned = mine == its && mine == Strength::open && symbol.kind == SymbolRef::Kind::module_variable &&
                         best->kind == symbol.kind && variable(symbol).alignment() > variable(*best).alignment();
    if (mine > its || larger || aligned) best = &symbol;
  }
  return *best;
}

void SymbolTable::check_signature(const Function& definition, const Function& other, const Symbol& where,
                                  const Symbol& other_where) const {
  const auto same = [](const std::vector<Variable>& a, const std::vector<Variable>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Variable& x, const Variable& y) {
      return x.size() == y.size() && x.unsized() == y.unsized() && x.alignment() == y.alignment();
    });
  };
  // Registers or memory.
  const auto registers = [](const std::vector<std::uint32_t>& list) {
    return std::count_if(list.begin(), list.end(), [](std::uint32_t r) { return r != Function::no_register; });
  };
  // A file that launches another's kernel may name it, as clang has it: as a function that is defined elsewhere.
  const bool kinds = definition.is_entry == other.is_entry || (definition.is_entry && other.is_declaration);
  if (kinds && same(definition.returns, other.returns) && same(definition.parameters, other.parameters) &&
      registers(definition.parameter_registers) == registers(other.parameter_registers) &&
      registers(definition.return_registers) == registers(other.return_registers))
    return;
  base::fail(ErrorCode::compile_error, "the function '{}' has other parameters or results in {} than in {}",
             definition.name, place(other_where), place(where));
}

void SymbolTable::check_same(const Symbol& definition, const Symbol& other) const {
  if (definition == other) return;
  if (definition.kind != other.kind)
    base::fail(ErrorCode::compile_error, "'{}' is a function in one module and a variable in another: {} and {}",
               written_name(definition), place(definition), place(other));
  if (definition.kind == SymbolRef::Kind::function)
    return check_signature(function(definition), function(other), definition, other);
  const Variable &a = variable(definition), &b = variable(other);
  const bool sizes = a.size() == b.size() || a.unsized() || b.unsized() || a.linkage == Linkage::common;
  // Compilers declare what they know to be an array of anything as one of bytes.
  const auto element = [](const Variable& v) { return byte_size(v.type) * v.vector; };
  const bool elements = element(a) == element(b) || a.type == Type::b8 || b.type == Type::b8;
  if (a.space != b.space || !elements || !sizes)
    base::fail(ErrorCode::compile_error, "the variable '{}' has another type, size or memory space in {} than in {}",
               a.name, place(other), place(definition));
}

SymbolTable::SymbolTable(std::span<const LinkInput> inputs) : inputs_(inputs) {
  std::vector<Symbol> all;
  std::map<std::string_view, std::vector<Symbol>> shared;
  for (std::uint32_t input = 0; input < inputs.size(); ++input) {
    const Module& module = inputs[input].module;
    for (std::uint32_t i = 0; i < module.variables.size(); ++i)
      all.push_back({input, SymbolRef::Kind::module_variable, i});
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) all.push_back({input, SymbolRef::Kind::function, i});
  }
  for (const Symbol& symbol : all)
    if (!is_private(symbol)) shared[written_name(symbol)].push_back(symbol);
  for (const auto& [name, symbols] : shared) {
    const Symbol& definition = choose(symbols);
    for (const Symbol& symbol : symbols) check_same(definition, symbol);
    by_name_[name] = definition;
  }
  give_names(all);
}

Symbol SymbolTable::chosen(const Symbol& symbol) const {
  return is_private(symbol) ? symbol : by_name_.at(written_name(symbol));
}

// Names that all see stay; a private one stays if nobody else has it.
void SymbolTable::give_names(const std::vector<Symbol>& all) {
  std::set<std::string, std::less<>> taken;
  for (const auto& [name, symbol] : by_name_) {
    names_[symbol] = name;
    taken.emplace(name);
  }
  // Nor may a made name be one that a function uses for something of its own.
  std::set<std::string_view> own;
  for (const Symbol& symbol : all) {
    if (symbol.kind != SymbolRef::Kind::function) continue;
    for (const Variable& v : function(symbol).variables) own.insert(v.name);
    for (const Variable& v : function(symbol).parameters) own.insert(v.name);
    for (const Label& l : function(symbol).labels) own.insert(l.name);
  }
  for (const Symbol& symbol : all) {
    if (!is_private(symbol)) continue;
    std::string name = written_name(symbol);
    for (unsigned suffix = 1; taken.contains(name) || (suffix > 1 && own.contains(name)); ++suffix)
      name = written_name(symbol) + "$" + std::to_string(suffix);
    taken.insert(name);
    names_[symbol] = std::move(name);
  }
}

}  // namespace heddle::ptx
