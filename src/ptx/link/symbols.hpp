// Which definition each name of several modules stands for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ptx/link/input.hpp"

namespace heddle::ptx {

// A variable or function of one of the modules.
struct Symbol {
  std::uint32_t input = 0;
  SymbolRef::Kind kind = SymbolRef::Kind::function;  // or module_variable
  std::uint32_t index = 0;
  friend bool operator==(const Symbol&, const Symbol&) = default;
  friend auto operator<=>(const Symbol& a, const Symbol& b) {
    return std::tie(a.input, a.kind, a.index) <=> std::tie(b.input, b.kind, b.index);
  }
};

class SymbolTable {
 public:
  // Throws compile_error for what is defined twice or has two signatures.
  explicit SymbolTable(std::span<const LinkInput> inputs);

  // What stands for a symbol in the linked module: itself, or the definition of its name.
  Symbol chosen(const Symbol& symbol) const;
  // Its name there.
  const std::string& name_of(const Symbol& chosen) const { return names_.at(chosen); }
  // Whether a name that is open may stay so.
  bool may_stay_open(const Symbol& symbol) const;
  // Whether it is a declaration only.
  bool is_open(const Symbol& symbol) const;

  const Variable& variable(const Symbol& symbol) const { return inputs_[symbol.input].module.variables[symbol.index]; }
  const Function& function(const Symbol& symbol) const { return inputs_[symbol.input].module.functions[symbol.index]; }
  const std::string& written_name(const Symbol& symbol) const;

 private:
  enum class Strength { open, common, weak, strong };
  bool is_private(const Symbol& symbol) const;
  bool is_alias(const Symbol& symbol) const;
  Strength strength(const Symbol& symbol) const;
  const Symbol& choose(const std::vector<Symbol>& candidates) const;
  void check_same(const Symbol& definition, const Symbol& other) const;
  void check_signature(const Function& definition, const Function& other, const Symbol& where,
                       const Symbol& other_where) const;
  void give_names(const std::vector<Symbol>& all);
  std::string place(const Symbol& symbol) const;

  std::span<const LinkInput> inputs_;
  std::map<std::string_view, Symbol> by_name_;  // of those that all modules see
  std::map<Symbol, std::string> names_;
};

}  // namespace heddle::ptx
