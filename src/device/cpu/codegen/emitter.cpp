#include "device/cpu/codegen/emitter.hpp"

#include <map>

#include <llvm/IR/Constants.h>

#include "ptx/forms.hpp"

namespace heddle::device::cpu {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

FunctionEmitter::FunctionEmitter(FunctionContext& context)
    : EmitterPart(context),
      values_(context),
      registers_(values_.registers),
      accesses_(context, values_),
      data_(context, values_, accesses_.addresses),
      memory_(context, values_, accesses_),
      atomics_(context, values_, accesses_),
      mbarriers_(context, values_, accesses_),
      copies_(context, values_, accesses_, mbarriers_),
      textures_(context, values_),
      spaces_(context, values_),
      warp_(context, values_, accesses_.elements),
      barriers_(context, values_, accesses_.checks),
      calls_(context, values_, accesses_),
      control_(context, values_) {}

void FunctionEmitter::emit(llvm::IRBuilder<>& entry) {
  // Allocas go to the function's first block, the rest behind what the caller has emitted.
  context_.alloca_point = &*context_.function->getEntryBlock().getFirstInsertionPt();
  if (kernel_.debug) context_.scope = context_.function->getSubprogram();
  b_.SetInsertPoint(entry.GetInsertBlock());
  if (context_.scope)
    b_.SetCurrentDebugLocation(
        llvm::DILocation::get(kernel_.llvm, function_.line ? function_.line : 1, 0, context_.scope));
  control_.start();
  const auto order = facts_.schedule->order();
  // Registers that may be read before they are written hold zero.
  facts_.liveness.for_each_live_in(order[0], [&](std::uint32_t reg) { registers_.clear(reg); });
  b_.CreateBr(control_.body(order[0]));
  for (std::uint32_t block : order) emit_block(block);
  control_.finish();
}

void FunctionEmitter::emit_block(std::uint32_t block) {
  context_.block = block;
  b_.SetInsertPoint(control_.body(block));
  registers_.start_block();
  context_.mask = control_.load_mask(block);
  const ptx::analysis::BasicBlock& range = facts_.cfg.block(block);
  for (context_.index = range.begin; context_.index < range.end; ++context_.index) {
    const ptx::Instruction& inst = function_.body[context_.index];
    if (context_.index + 1 == range.end && ControlFlow::ends_block(inst)) break;
    emit_instruction(inst);
  }
  if (context_.index == range.end && context_.index > range.begin) --context_.index;
  control_.finish_block(block);
}

namespace {

// Instructions whose only effect is on registers, and that never trap: a guard merely chooses between old and new
// values.
bool is_pure(const ptx::Instruction& inst) {
  return ArithmeticEmitter::handles(inst.opcode) || inst.opcode == Opcode::mov || inst.opcode == Opcode::cvta ||
         inst.opcode == Opcode::isspacep;
}

}  // namespace

void FunctionEmitter::emit_instruction(const ptx::Instruction& inst) {
  set_location(inst);
  const bool scalar_guard = inst.guard.present && !guarded_by_lanes(inst);
  registers_.start_instruction();
  if (scalar_guard && !is_pure(inst))
    emit_behind_branch(inst);
  else
    dispatch(inst);
  if (const auto facts = facts_.no_wrap_at.find(context_.index); facts != facts_.no_wrap_at.end())
    for (std::uint32_t assumption : facts->second) registers_.check_no_wrap(assumption);
}

// A guard that is the same for all lanes is a branch around the instruction.
void FunctionEmitter::emit_behind_branch(const ptx::Instruction& inst) {
  ptx::Operand predicate = ptx::Operand::make_reg(inst.guard.reg);
  predicate.negated = inst.guard.negated;
  std::map<std::uint32_t, Value*> before;
  ptx::for_each_def(inst, [&](std::uint32_t reg, const ptx::Slot&) { before[reg] = registers_.read(reg); });
  Value* condition = registers_.lane0(predicate, Type::pred);
  auto* start = b_.GetInsertBlock();
  auto* then = new_block("guarded");
  auto* after = new_block("unguarded");
  b_.CreateCondBr(condition, then, after);
  b_.SetInsertPoint(then);
  const Registers::Results results = registers_.captured_in_branch([&] { dispatch(inst); });
  auto* end = b_.GetInsertBlock();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  for (const auto& [reg, value] : results) {
    auto* merged = b_.CreatePHI(value->getType(), 2);
    merged->addIncoming(value, end);
    merged->addIncoming(before[reg], start);
    before[reg] = merged;
  }
  for (const auto& [reg, value] : results) registers_.write(reg, before[reg]);
}

// The instruction may stand in a loop that waits for other warps.
bool FunctionEmitter::may_be_waiting() const { return !function_.is_entry || control_.may_wait_at(context_.block); }

void FunctionEmitter::dispatch(const ptx::Instruction& inst) {
  const bool is_store = inst.opcode == Opcode::st || inst.opcode == Opcode::red;
  if (inst.has(Modifier::bulk) || (is_store && inst.has(Modifier::proxy_async)))
    refuse(inst, "asynchronous stores and bulk copies are not supported by the CPU device");
  if (kernel_.checks.kernels()) {
    accesses_.checks.check_members(inst);
    accesses_.checks.note_order(inst);
  }
  if (uses_textures(inst.opcode)) return textures_.emit(inst);
  switch (inst.opcode) {
    case Opcode::ld:
    case Opcode::ldu: return memory_.load(inst);
    case Opcode::st: return memory_.store(inst);
    case Opcode::mov: return data_.mov(inst);
    case Opcode::cvta: return spaces_.cvta(inst);
    case Opcode::isspacep: return spaces_.isspacep(inst);
    case Opcode::prefetch:
    case Opcode::prefetchu: return memory_.prefetch(inst);
    case Opcode::cp: return copies_.emit(inst);
    case Opcode::mbarrier: return mbarriers_.emit(inst);
    case Opcode::atom:
    case Opcode::red: return atomics_.emit(inst);
    case Opcode::membar:
    case Opcode::fence: return spaces_.fence(inst);
    case Opcode::bar:
    case Opcode::barrier: return inst.has(Modifier::warp) ? warp_.emit(inst) : barriers_.emit(inst);
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
    case Opcode::mma:
    case Opcode::wmma:
    case Opcode::activemask: return warp_.emit(inst);
    case Opcode::call: return calls_.call(inst);
    case Opcode::trap:
    case Opcode::brkpt: return calls_.trap(inst);
    case Opcode::nanosleep: return calls_.nanosleep(inst, !may_be_waiting());
    case Opcode::getctarank: return registers_.write_operand(inst.operands[0], Type::u32, b_.getInt32(0));
    case Opcode::mapa:
      return registers_.write_operand(inst.operands[0], inst.d.type,
                                      results_scalar(inst) ? registers_.lane0(inst.operands[1], inst.d.type)
                                                           : registers_.vector(inst.operands[1], inst.d.type));
    case Opcode::createpolicy: return registers_.write_operand(inst.operands[0], Type::b64, b_.getInt64(0));
    // Hints, and events for tools that are not there.
    case Opcode::pmevent:
    case Opcode::applypriority:
    case Opcode::discard:
    case Opcode::griddepcontrol:
    case Opcode::setmaxnreg: return;
    default: break;
  }
  if (!ArithmeticEmitter::handles(inst.opcode)) refuse(inst, "this instruction is not supported by the CPU device");
  data_.arithmetic(inst);
}

llvm::FunctionType* FunctionEmitter::function_type(const KernelContext& kernel) {
  llvm::Type* mask = llvm::IntegerType::get(kernel.llvm, kernel.lanes);
  llvm::Type* pointer = kernel.abi.pointer;
  return llvm::FunctionType::get(llvm::Type::getVoidTy(kernel.llvm), {pointer, pointer, mask, pointer, pointer}, false);
}

}  // namespace heddle::device::cpu
