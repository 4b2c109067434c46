#include "device/sim/sampling/validity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ptx/analysis/block_independence.hpp"
#include "ptx/analysis/flow/register_table.hpp"
#include "ptx/analysis/instruction_text.hpp"
#include "ptx/analysis/waiting/waiting.hpp"

namespace heddle::device::sim {
namespace {

using ptx::ReduceOp;
using ptx::SpecialRegister;

// Shows where or when a block runs.
bool shows_the_machine(SpecialRegister special) {
  return special == SpecialRegister::warpid || special == SpecialRegister::nwarpid ||
         special == SpecialRegister::smid || special == SpecialRegister::nsmid || special == SpecialRegister::gridid ||
         (special >= SpecialRegister::clock && special <= SpecialRegister::pm7_64);
}

const ptx::Operand* of_the_machine(const std::vector<ptx::Operand>& operands) {
  for (const ptx::Operand& operand : operands) {
    if (operand.kind == ptx::OperandKind::special && shows_the_machine(operand.special)) return &operand;
    if (const ptx::Operand* inner = of_the_machine(operand.elements)) return inner;
  }
  return nullptr;
}

// Operations on memory that threads share, in one function.
class Atomics {
 public:
  Atomics(const ptx::Function& function, ReduceOp& kind) : function_(function), table_(function), kind_(kind) {}

  // Why what they leave depends on the order of threads; empty: it does not. `kind` becomes the one that all have.
  std::string reason() {
    for (std::uint32_t i = 0; i < table_.instructions(); ++i) {
      const ptx::Instruction& inst = function_.body[i];
      if (inst.opcode != ptx::Opcode::atom && inst.opcode != ptx::Opcode::red) continue;
      const std::string why = reason_of(i);
      if (!why.empty()) return fmt::format("{} at line {} {}", ptx::analysis::mnemonic(inst), inst.where.line, why);
    }
    return {};
  }

 private:
  std::string reason_of(std::uint32_t i) {
    const ptx::Instruction& inst = function_.body[i];
    const ReduceOp op = inst.d.reduce;
    if (op == ReduceOp::cas || op == ReduceOp::exch || op == ReduceOp::inc || op == ReduceOp::dec)
      return "leaves what depends on the order of threads";
    if (ptx::is_float(ptx::element(inst.d.type)) && op == ReduceOp::add)
      return "adds floating-point numbers, whose sum depends on the order of threads";
    if (kind_ != ReduceOp::none && kind_ != op)
      return "is of another kind than atomics before it, which do not commute";
    kind_ = op;
    for (const ptx::analysis::RegisterOccurrence& item : table_.of(i))
      if (item.is_def && is_read(item.reg)) return "finds a value, which depends on the order of threads";
    return {};
  }

  bool is_read(std::uint32_t reg) const {
    return std::any_of(table_.all().begin(), table_.all().end(),
                       [&](const auto& item) { return !item.is_def && item.reg == reg; });
  }

  const ptx::Function& function_;
  const ptx::analysis::RegisterTable table_;
  ReduceOp& kind_;
};

std::string reason_in(const ptx::Function& function, ReduceOp& kind) {
  for (const ptx::Instruction& inst : function.body)
    if (const ptx::Operand* operand = of_the_machine(inst.operands))
      return fmt::format("its results may depend on {}, which only the timing model knows", name(operand->special));
  return Atomics(function, kind).reason();
}

}  // namespace

std::string why_not_sampled(const ptx::Module& module, const ptx::Function& kernel) {
  const auto index = static_cast<std::size_t>(&kernel - module.functions.data());
  const auto waiting = ptx::analysis::find_waiting(module, {});
  const ptx::analysis::BlockIndependence order = ptx::analysis::find_block_independence(module, waiting)[index];
  if (!order.independent()) return "its blocks are not independent: " + ptx::analysis::describe(module, order);
  const ptx::analysis::FunctionWaiting& own = waiting[index];
  if (own.prints) return "it prints, and the order of what blocks print is that of the machine";
  if (own.allocates) return "it allocates memory, whose addresses depend on the order of blocks";
  if (own.calls_unknown || own.calls_indirectly) return "it calls functions that are not known";
  ReduceOp kind = ReduceOp::none;
  if (std::string reason = reason_in(kernel, kind); !reason.empty()) return reason;
  for (const std::uint32_t callee : own.functions)
    if (std::string reason = reason_in(module.functions[callee], kind); !reason.empty()) return reason;
  return {};
}

}  // namespace heddle::device::sim
