#include "device/sim/kernel_timing.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/flow/register_table.hpp"
#include "ptx/matrix.hpp"

namespace heddle::device::sim {
namespace {

using machine::Action;
using machine::Involves;
using ptx::Opcode;

bool is_memory(Action action) {
  switch (action) {
    case Action::load:
    case Action::store:
    case Action::texture:
    case Action::atomic:
    case Action::reduction:
    case Action::copy_async:
    case Action::update_mbarrier:
    case Action::check_mbarrier: return true;
    default: return false;
  }
}

bool is_control(Action action) {
  switch (action) {
    case Action::branch:
    case Action::indexed_branch:
    case Action::call:
    case Action::leave:
    case Action::exit: return true;
    default: return false;
  }
}

PipeClass arithmetic_pipe(const ptx::Instruction& inst) {
  const ptx::Type type = ptx::element(inst.d.type);
  switch (inst.opcode) {
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::tanh:
    case Opcode::rsqrt: return PipeClass::sfu;
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::div: return type == ptx::Type::f64 ? PipeClass::fp64 : PipeClass::sfu;
    case Opcode::rem: return PipeClass::sfu;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
      if (type == ptx::Type::f64) return PipeClass::fp64;
      return ptx::is_float(type) ? PipeClass::fma : PipeClass::alu;
    default: return type == ptx::Type::f64 && ptx::is_float(type) ? PipeClass::fp64 : PipeClass::alu;
  }
}

PipeClass pipe_of(const machine::Operation& op) {
  if (is_memory(op.action)) return PipeClass::lsu;
  if (is_control(op.action) || op.involves == Involves::barrier) return PipeClass::branch;
  if (op.action == Action::shuffle) return PipeClass::lsu;
  if (op.action == Action::multiply) return PipeClass::tensor;
  if (op.action != Action::evaluate) return PipeClass::alu;
  return arithmetic_pipe(*op.instruction);
}

// Other SMs may wait for its effect, or its result may depend on their progress.
bool is_ordered(const machine::Operation& op) {
  const ptx::Instruction& inst = *op.instruction;
  if (op.action == Action::call) {
    const ptx::Operand& callee = inst.operands[1];
    return callee.kind != ptx::OperandKind::symbol || callee.symbol.kind == ptx::SymbolRef::Kind::function;
  }
  if (!is_memory(op.action)) return false;
  const ptx::Space space = op.space;
  if (space == ptx::Space::shared || space == ptx::Space::local || space == ptx::Space::param) return false;
  if (op.action == Action::atomic || op.action == Action::reduction) return true;
  if (op.action != Action::load && op.action != Action::store) return false;
  return inst.d.order != ptx::Order::weak || inst.has(ptx::Modifier::volatile_);
}

bool may_part(const machine::Operation& op) {
  const ptx::Instruction& inst = *op.instruction;
  if (!is_control(op.action)) return false;
  if (inst.guard.present || op.action == Action::indexed_branch || op.action == Action::leave) return true;
  return op.action == Action::call && inst.operands[1].kind != ptx::OperandKind::symbol;
}

// Intervals of the tensor pipe are those of 16 x 8 x 16 halves. Other types take as long as they have more bits, f64
// sixteen times as long: peak rates of the H100 (its white paper).
std::uint16_t eighths_of(const machine::Operation& op) {
  constexpr unsigned usual = 8, products = 16 * 8 * 16, usual_bits = 16, of_f64 = 16;
  if (op.action != Action::multiply) return usual;
  const std::optional<ptx::MatrixProduct> product = ptx::matrix_product(*op.instruction);
  if (!product) return usual;
  const unsigned bits = product->a == ptx::Type::f64 ? of_f64 * usual_bits : ptx::stored_bits(product->a);
  const unsigned count = unsigned{product->shape.m} * product->shape.n * product->shape.k;
  return static_cast<std::uint16_t>(std::max(1u, usual * count / products * bits / usual_bits));
}

OpTiming timing_of(const machine::Operation& op) {
  OpTiming timing;
  timing.pipe = pipe_of(op);
  timing.eighths = eighths_of(op);
  timing.multiplies = op.instruction->opcode == Opcode::mul && op.instruction->d.type == ptx::Type::f32;
  timing.control = is_control(op.action);
  timing.parts = may_part(op);
  timing.fence = op.instruction->opcode == Opcode::membar || op.instruction->opcode == Opcode::fence;
  timing.ordered = is_ordered(op);
  timing.arrives = op.involves == Involves::barrier;
  timing.exchanges = op.action == Action::shuffle;
  timing.bypass_l1 = op.action == Action::load && (timing.ordered || op.instruction->has(ptx::Modifier::cg) ||
                                                   op.instruction->has(ptx::Modifier::cv));
  return timing;
}

}  // namespace

const char* name(PipeClass pipe) {
  constexpr std::array<const char*, pipe_classes> names{"alu", "fma", "fp64", "sfu", "lsu", "branch", "tensor"};
  return names[static_cast<unsigned>(pipe)];
}

CodeTiming::CodeTiming(const machine::Code& code, const ptx::Module& module, const Front& front) {
  const ptx::Function& function = *code.function;
  const ptx::analysis::ControlFlowGraph cfg(function, &module);
  const ptx::analysis::PostDominators post(cfg);
  const ptx::analysis::RegisterTable table(function);
  std::optional<RegisterBanks> banks;
  if (front.register_banks != 0) banks.emplace(function, cfg, table, front.register_banks, front.banks_by_number);
  for (std::uint32_t pc = 0; pc < code.operations.size(); ++pc) {
    const machine::Operation& op = code.operations[pc];
    OpTiming timing = timing_of(op);
    timing.first_register = static_cast<std::uint32_t>(registers_.size());
    for (const auto& occurrence : table.of(pc)) {
      // Functions use registers of their own: no dependence is missed, though some may be seen that are not there.
      registers_.push_back((code.index << 16) + occurrence.reg);
      ++(occurrence.is_def ? timing.defs : timing.uses);
    }
    timing.first_read = static_cast<std::uint32_t>(reads_.size());
    if (banks) banks->append_reads(reads_, pc, code.index << 16);
    timing.reads = static_cast<std::uint16_t>(reads_.size() - timing.first_read);
    const bool decides = op.action == Action::branch || op.action == Action::indexed_branch;
    if (!decides) timing.reconverge = pc + 1;
    if (op.action == Action::leave) timing.reconverge = no_reconvergence;
    if (decides) {
      const std::uint32_t meets = post.immediate(cfg.block_of(pc));
      if (meets < cfg.size()) timing.reconverge = cfg.block(meets).begin;
    }
    operations_.push_back(timing);
  }
  for (std::uint32_t pc = 0; pc < code.operations.size(); ++pc) {
    const Action action = code.operations[pc].action;
    const bool decides = action == Action::branch || action == Action::indexed_branch;
    const std::uint32_t joins = operations_[pc].reconverge;
    if (decides && joins < operations_.size()) operations_[joins].joins = true;
  }
  frontier_ = frontier_layout(function, module);
  OpTiming end;
  end.pipe = PipeClass::branch;
  end.control = true;
  operations_.push_back(end);
}

const CodeTiming& ProgramTiming::make(const machine::Code& code) {
  const std::lock_guard lock(mutex_);
  auto& timing = codes_[code.index];
  if (!timing) timing = std::make_unique<CodeTiming>(code, program_.ptx(), front_);
  made_[code.index].store(timing.get(), std::memory_order_release);
  return *timing;
}

}  // namespace heddle::device::sim
