#include "ptx/analysis/calls.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace heddle::ptx::analysis {
namespace {

bool is_builtin(const std::string& name) {
  static constexpr std::array<std::string_view, 4> builtins{"vprintf", "malloc", "free", "__assertfail"};
  return std::find(builtins.begin(), builtins.end(), name) != builtins.end();
}

}  // namespace

bool has_calls(const Function& function) {
  return std::any_of(function.body.begin(), function.body.end(),
                     [](const Instruction& inst) { return inst.opcode == Opcode::call; });
}

bool calls_others(const Module& module, const Function& function) {
  constexpr std::size_t callee = 1;
  return std::any_of(function.body.begin(), function.body.end(), [&](const Instruction& inst) {
    if (inst.opcode != Opcode::call) return false;
    if (inst.operands.size() <= callee || inst.operands[callee].kind != OperandKind::symbol) return true;
    const SymbolRef& symbol = inst.operands[callee].symbol;
    return symbol.kind != SymbolRef::Kind::function || !is_builtin(module.functions[symbol.index].name);
  });
}

}  // namespace heddle::ptx::analysis
