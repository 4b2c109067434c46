#include "device/machine/core.hpp"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "device/fault_text.hpp"

namespace heddle::device::machine {
namespace {

std::string coordinates(const Dim3& d) { return base::format_triple(d.x, d.y, d.z); }

std::string source_of(const ptx::Module& module, const ptx::Function& function, const ptx::Instruction& inst) {
  const std::string text = source_place(module, function, inst.where.loc);
  return text.empty() ? text : " (" + text + ")";
}

}  // namespace

std::string Core::line_of(const Thread& thread) const {
  const ptx::Instruction* const inst = thread.instruction();
  if (!inst) return {};
  return fmt::format("PTX line {}{}", inst->where.line,
                     source_of(grid_.kernel.program().ptx(), *thread.frame().code->function, *inst));
}

std::string Core::place(const Block& block, const Thread& thread) const { return place(block, thread, thread.index); }

std::string Core::place(const Block& block, const Thread& thread, const Dim3& index) const {
  const Frame& frame = thread.frame();
  const ptx::Function& function = *frame.code->function;
  std::string text = fmt::format("kernel '{}', block {}, thread {}", base::demangled(grid_.kernel.ptx().name),
                                 coordinates(block.index), coordinates(index));
  if (!function.is_entry) text += fmt::format(", in function '{}'", base::demangled(function.name));
  const ptx::Module& module = grid_.kernel.program().ptx();
  if (const ptx::Instruction* inst = thread.instruction())
    text += fmt::format(", PTX line {}{}", inst->where.line, source_of(module, function, *inst));
  if (thread.frames.size() < 2) return text;
  const Frame& caller = thread.frames[thread.frames.size() - 2];  // continues after the call
  const ptx::Function& calling = *caller.code->function;
  const ptx::Instruction& call = calling.body[caller.pc - 1];
  return text + fmt::format(", called at PTX line {}{}", call.where.line, source_of(module, calling, call));
}

void Core::fault(const std::string& what, KernelFault kind) const { fault(what, kind, thread_->index); }

void Core::fault(const std::string& what, KernelFault kind, const Dim3& index) const {
  throw Error(kind, place(*block_, *thread_, index) + ": " + what);
}

void Core::refuse() const {
  std::string text{ptx::name(inst_->opcode)};
  for (ptx::Modifier m : inst_->modifiers) text += "." + std::string(ptx::name(m));
  base::fail(ErrorCode::unsupported, "{}: {} does not execute '{}'", place(*block_, *thread_),
             machine_.options.executor, text);
}

void Core::enter(Block& block, Thread& thread) {
  block_ = &block;
  thread_ = &thread;
  op_ = thread.operation();
  inst_ = op_ ? op_->instruction : nullptr;
  function_ = thread.frame().code->function;
}

bool Core::guard_holds() {
  if (!inst_->guard.present) return true;
  const bool value = thread_->frame().registers.low(inst_->guard.reg) & 1;
  if (value != inst_->guard.negated) return true;
  ++thread_->pc();
  return false;
}

void Core::step(Block& block, const LaneThreads& threads, LaneMask lanes, Effects& effects) {
  effects_ = &effects;
  enter(block, *threads[static_cast<unsigned>(std::countr_zero(lanes))]);
  effects.begin(op_);
  if (op_ && op_->row.kind != RowKind::none && !machine_.options.step && step_rows(threads, lanes)) return;
  const bool waits = op_ && op_->involves != Involves::none;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    lane_ = static_cast<unsigned>(std::countr_zero(rest));
    thread_ = threads[lane_];
    if (!waits) ++instructions_;
    if (op_ && !guard_holds()) continue;
    const LaneMask lane = rest & (~rest + 1);
    effects.ran |= lane;
    if (waits) {
      record_wait(lane);
    } else if (!op_) {
      return_from_function();
    } else {
      jumped_ = false;
      const std::size_t depth = thread_->frames.size();
      run();
      if (machine_.options.step) report(depth);
      if (!jumped_) ++thread_->pc();
    }
  }
  if (op_ && op_->action == Action::texture) effects.order_by_turn();
}

// Records that the current lane waits, with its operands of the warp operation or barrier.
void Core::record_wait(LaneMask lane) {
  if (op_->involves == Involves::meeting) effects_->members[lane_] = member_mask();
  if (op_->involves == Involves::barrier) effects_->barrier[lane_] = barrier_use();
  effects_->waiting |= lane;
}

// `depth`: of the thread's calls before it.
void Core::report(std::size_t depth) const {
  const Thread& thread = *thread_;
  std::vector<Value> registers;
  if (thread.frames.size() >= depth) {
    const Registers& all = thread.frames[depth - 1].registers;
    for (std::uint32_t i = 0; i < all.size(); ++i) registers.push_back(all.get(i));
  }
  machine_.options.step({block_->index, thread.linear, depth, *function_, *inst_, registers});
}

void Core::run() {
  switch (op_->action) {
    case Action::evaluate: return evaluate();
    case Action::nothing: return;
    case Action::move: return move();
    case Action::copy_operand: write(0, read(1)); return;
    case Action::write_zero: write(0, {0}); return;
    case Action::convert_address: return convert_address();
    case Action::is_space: return is_space();
    case Action::texture: return access_texture();
    case Action::load: return load_instruction();
    case Action::store: return store_instruction();
    case Action::atomic: return atomic(true);
    case Action::reduction: return atomic(false);
    case Action::copy_async: return copy_async();
    case Action::update_mbarrier: return update_mbarrier();
    case Action::check_mbarrier: mbarrier_word(); return;
    case Action::mbarrier_count: return count_mbarrier();
    case Action::branch: return branch(operand(0).index);
    case Action::indexed_branch: return indexed_branch();
    case Action::call: return call();
    case Action::leave: return return_from_function();
    case Action::exit: return exit_thread();
    case Action::trap: fault("the kernel executed trap", KernelFault::trap);
    case Action::yield: effects_->yields = true; return;
    case Action::allocate_stack: return allocate_stack();
    case Action::save_stack: write(0, {thread_->frame().top}); return;
    case Action::restore_stack: return restore_stack();
    default: refuse();
  }
}

}  // namespace heddle::device::machine
