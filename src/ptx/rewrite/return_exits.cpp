#include "ptx/rewrite/return_exits.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/analysis/effects/calls.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/rewrite/body_editor.hpp"
#include "ptx/rewrite/inline_calls.hpp"

namespace heddle::ptx {
namespace {

constexpr std::size_t results_slot = 0;
constexpr Modifier u32 = modifier_of(Type::u32);

bool is_exit(const Instruction& inst) { return inst.opcode == Opcode::exit; }

// Where threads may leave the kernel.
struct Exits {
  std::vector<bool> functions;                    // by index; of declarations, see definition_of()
  std::vector<std::set<std::uint32_t>> calls_of;  // by function: its instructions
  bool any() const { return std::find(functions.begin(), functions.end(), true) != functions.end(); }
};

struct Call {
  std::uint32_t caller, instruction;
  std::vector<std::uint32_t> callees;
};

bool reaches(const Call& call, const std::vector<bool>& functions) {
  return std::any_of(call.callees.begin(), call.callees.end(), [&](std::uint32_t f) { return functions[f]; });
}

// Passes exits on to callers, and to what else a call may reach: it has one list of results.
void spread(const Module& module, const std::vector<Call>& calls, std::vector<bool>& functions) {
  for (bool changed = true; changed;) {
    changed = false;
    const auto mark = [&](std::uint32_t f) {
      if (!functions[f]) functions[f] = changed = true;
    };
    for (const Call& call : calls) {
      if (!reaches(call, functions)) continue;
      for (const std::uint32_t callee : call.callees) mark(callee);
      if (!module.functions[call.caller].is_entry) mark(call.caller);
    }
  }
}

Exits find_exits(const Module& module) {
  Exits exits{std::vector<bool>(module.functions.size(), false),
              std::vector<std::set<std::uint32_t>>(module.functions.size())};
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = module.functions[f];
    exits.functions[f] = !function.is_entry && std::any_of(function.body.begin(), function.body.end(), is_exit);
  }
  if (!exits.any()) return exits;
  std::vector<Call> calls;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f)
    for (std::uint32_t i = 0; i < module.functions[f].body.size(); ++i) {
      const Instruction& inst = module.functions[f].body[i];
      if (inst.opcode == Opcode::call)
        calls.push_back({f, i, analysis::possible_callees(module, module.functions[f], inst)});
    }
  spread(module, calls, exits.functions);
  for (const Call& call : calls)
    if (reaches(call, exits.functions)) exits.calls_of[call.caller].insert(call.instruction);
  return exits;
}

void add_result(std::vector<Variable>& returns, std::string_view stem) {
  Variable result;
  result.name = std::string(stem) + "exited";
  result.space = Space::param;
  result.type = Type::b32;
  returns.push_back(std::move(result));
}

// Of one body. Signatures are as they were.
class Rewriter {
 public:
  Rewriter(const Module& module, Function& function, std::string_view stem, const std::set<std::uint32_t>& calls)
      : module_(module), function_(function), stem_(stem), editor_(function, stem), calls_(calls) {}

  void rewrite() {
    for (std::uint32_t i = 0; i <= editor_.size(); ++i) {
      editor_.begin(i);
      if (i == 0 && !function_.is_entry) set_result(0, {});
      if (i == editor_.size()) break;
      Instruction inst = editor_.take(i);
      if (is_exit(inst))
        leave(inst.guard);
      else if (calls_.contains(i))
        emit_call(std::move(inst));
      else
        editor_.emit(std::move(inst));
    }
    editor_.finish();
    for (const std::uint32_t table : tables_) {
      if (function_.tables[table].kind != Table::Kind::call_prototype) continue;
      add_result(function_.tables[table].returns, stem_);
      function_.tables[table].noreturn = false;
    }
  }

 private:
  void emit(Opcode opcode, std::initializer_list<Modifier> modifiers, std::vector<Operand> operands,
            const Guard& guard) {
    if (!guard.present) return editor_.emit(opcode, modifiers, std::move(operands));
    editor_.emit_if(guard.reg, !guard.negated, make_instruction(opcode, modifiers, std::move(operands)));
  }

  void set_result(std::int64_t exited, const Guard& guard) {
    const SymbolRef result{SymbolRef::Kind::return_parameter, static_cast<std::uint32_t>(function_.returns.size())};
    emit(Opcode::st, {Modifier::param, u32}, {Operand::make_address_symbol(result), Operand::make_integer(exited), {}},
         guard);
  }

  void leave(const Guard& guard) {
    if (function_.is_entry) return emit(Opcode::exit, {}, {}, guard);
    set_result(1, guard);
    emit(Opcode::ret, {}, {}, guard);
  }

  void emit_call(Instruction call) {
    const Guard guard = call.guard;
    const bool returns = !analysis::never_returns(call, function_, &module_);
    const std::uint32_t exited = editor_.add_register(Type::u32);
    // Of threads that do not call.
    if (guard.present) editor_.emit(Opcode::mov, {u32}, {Operand::make_reg(exited), Operand::make_integer(0)});
    Operand& results = call.operands[results_slot];
    results.kind = OperandKind::vector;
    results.elements.push_back(Operand::make_reg(exited));
    for (const Operand& operand : call.operands)
      if (operand.kind == OperandKind::table) tables_.insert(operand.index);
    editor_.emit(std::move(call));
    if (!returns) return leave(guard);
    const std::uint32_t gone = editor_.compute(Type::pred, Opcode::setp, {Modifier::ne, u32},
                                               {{}, Operand::make_reg(exited), Operand::make_integer(0)});
    leave({true, false, gone});
  }

  const Module& module_;
  Function& function_;
  std::string_view stem_;
  BodyEditor editor_;
  const std::set<std::uint32_t>& calls_;
  std::set<std::uint32_t> tables_;  // of those calls
};

void change_signature(Function& function, std::string_view stem) {
  add_result(function.returns, stem);
  if (!function.return_registers.empty()) function.return_registers.push_back(Function::no_register);
  function.noreturn = false;
}

}  // namespace

bool exits_in_callees(const Module& module, const Function& inlined) {
  const std::vector<std::uint32_t> callees = remaining_callees(module, inlined);
  if (callees.empty()) return false;
  const Exits exits = find_exits(module);
  return std::any_of(callees.begin(), callees.end(), [&](std::uint32_t f) { return exits.functions[f]; });
}

void return_exits(Module& module) {
  const Exits exits = find_exits(module);
  if (!exits.any()) return;
  const std::string stem = unused_stem(module);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f)
    if (exits.functions[f] || !exits.calls_of[f].empty())
      Rewriter(module, module.functions[f], stem, exits.calls_of[f]).rewrite();
  std::vector<std::uint32_t> changed;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f)
    if (exits.functions[definition_of(module, f)]) changed.push_back(f);
  for (const std::uint32_t f : changed) change_signature(module.functions[f], stem);
}

}  // namespace heddle::ptx
