#include "ptx/rewrite/single_kernel.hpp"

#include <map>


namespace heddle::ptx {
namespace {

template <class F>
void each_symbol(Operand& operand, F&& f) {
  const bool is_symbol = operand.kind == OperandKind::symbol ||
                         (operand.kind == OperandKind::address && operand.base == OperandKind::symbol);
  if (is_symbol) f(operand.symbol);
  for (Operand& element : operand.elements) each_symbol(element, f);
}

class Extractor {
 public:
  explicit Extractor(const Module& module) : module_(module) {
    made_.version_major = module.version_major;
    made_.version_minor = module.version_minor;
    made_.targets = module.targets;
    made_.address_size = module.address_size;
    made_.files = module.files;
    made_.module_pragmas = module.module_pragmas;
  }

  Module take(Function entry) {
    for (Instruction& inst : entry.body)
      for (Operand& operand : inst.operands) each_symbol(operand, [&](SymbolRef& symbol) { renumber(symbol); });
    for (Table& table : entry.tables)
      if (table.kind == Table::Kind::call_targets)
        for (std::uint32_t& target : table.targets) target = function(target);
    made_.functions.push_back(std::move(entry));
    return std::move(made_);
  }

 private:
  void renumber(SymbolRef& symbol) {
    if (symbol.kind == SymbolRef::Kind::function) symbol.index = function(symbol.index);
    if (symbol.kind == SymbolRef::Kind::module_variable) symbol.index = variable(symbol.index);
  }

  std::uint32_t function(std::uint32_t index) {
    const auto [it, is_new] = functions_.try_emplace(index, static_cast<std::uint32_t>(made_.functions.size()));
    if (is_new) made_.functions.push_back(module_.functions[index]);
    return it->second;
  }

  std::uint32_t variable(std::uint32_t index) {
    const auto [it, is_new] = variables_.try_emplace(index, 0);
    if (!is_new) return it->second;
    Variable copy = module_.variables[index];
    for (InitValue& value : copy.init)
      if (value.kind == InitValue::Kind::symbol || value.kind == InitValue::Kind::generic_symbol) renumber(value.symbol);
    made_.variables.push_back(std::move(copy));
    return it->second = static_cast<std::uint32_t>(made_.variables.size() - 1);
  }

  const Module& module_;
  Module made_;
  std::map<std::uint32_t, std::uint32_t> functions_, variables_;
};

}  // namespace

Module single_kernel(const Module& module, const Function& entry) { return Extractor(module).take(entry); }

}  // namespace heddle::ptx
