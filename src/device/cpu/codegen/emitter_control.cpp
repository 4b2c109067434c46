#include "device/cpu/codegen/emitter_control.hpp"

#include <algorithm>
#include <unordered_map>

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::Opcode;
using ptx::analysis::ExitKind;

ControlFlow::ControlFlow(FunctionContext& context, Values& values)
    : EmitterPart(context),
      runtime_(values.runtime),
      registers_(values.registers),
      branches_(values.branches),
      schedule_(*facts_.schedule),
      mask_slots_(facts_.cfg.size()),
      pending_slots_(facts_.cfg.size()),
      bodies_(facts_.cfg.size()),
      looks_(facts_.cfg.size()) {}

void ControlFlow::start() {
  llvm::Type* mask_type = vector_of(kernel_.abi.i1);
  for (std::uint32_t block : schedule_.order()) {
    if (lanes() == 1) break;
    if (schedule_.partial(block) && schedule_.mask_of(block) == Schedule::none)
      mask_slots_[block] = entry_alloca(mask_type, "mask");
    if (!schedule_.has_pending(block)) continue;
    if (!mask_slots_[block]) mask_slots_[block] = entry_alloca(mask_type, "mask");
    pending_slots_[block] = entry_alloca(mask_type, "waiting");
    b_.CreateStore(llvm::Constant::getNullValue(mask_type), pending_slots_[block]);
  }
  const std::uint32_t first = schedule_.order()[0];
  if (mask_slots_[first]) b_.CreateStore(mask_or_full(inputs_.mask), mask_slots_[first]);
}

llvm::Value* ControlFlow::load_mask(std::uint32_t block) {
  if (lanes() == 1 || !schedule_.partial(block)) return nullptr;
  return b_.CreateLoad(vector_of(kernel_.abi.i1), mask_slots_[mask_root(block)]);
}

void ControlFlow::finish() {
  while (!places_.empty()) {
    const auto place = std::move(places_.back());
    places_.pop_back();
    place();
  }
}

llvm::BasicBlock* ControlFlow::body(std::uint32_t block) {
  if (!bodies_[block]) bodies_[block] = new_block("block" + std::to_string(block));
  return bodies_[block];
}

bool ControlFlow::ends_block(const ptx::Instruction& inst) {
  return inst.opcode == Opcode::bra || inst.opcode == Opcode::brx || inst.opcode == Opcode::ret ||
         inst.opcode == Opcode::exit;
}

void ControlFlow::finish_block(std::uint32_t block) {
  const ptx::analysis::BasicBlock& range = facts_.cfg.block(block);
  const ptx::Instruction* last = range.end > range.begin ? &function_.body[range.end - 1] : nullptr;
  if (last) set_location(*last);
  if (last && last->opcode == Opcode::brx) return finish_indexed_branch(block, *last);
  if (last && last->opcode == Opcode::bra) return finish_branch(block, *last);
  if (range.exit != ExitKind::none) return finish_exit(block, last && ends_block(*last) ? last : nullptr);
  leave_along(block, 0);
}

void ControlFlow::finish_branch(std::uint32_t block, const ptx::Instruction& branch) {
  const auto successors = facts_.cfg.successors(block);
  if (!branch.guard.present || successors.size() == 1) return leave_along(block, 0);
  ptx::Operand guard = ptx::Operand::make_reg(branch.guard.reg);
  guard.negated = branch.guard.negated;
  // The graph lists the branch target first.
  if (!schedule_.divergent(block)) {
    auto* taken = new_block("taken");
    auto* fallen = new_block("fallen");
    b_.CreateCondBr(uniform_predicate(guard), taken, fallen);
    b_.SetInsertPoint(taken);
    leave_along(block, 0);
    b_.SetInsertPoint(fallen);
    leave_along(block, 1);
    return;
  }
  Value* condition = registers_.vector(guard, ptx::Type::pred);
  wait_at(successors[0], both(context_.mask, condition));
  wait_at(successors[1], both(context_.mask, b_.CreateNot(condition)));
  find_next_lanes(block);
}

// A predicate that is the same in all active lanes, as a scalar. Where its register is a vector all the same (a value
// that is uniform only here), any active lane tells.
llvm::Value* ControlFlow::uniform_predicate(const ptx::Operand& predicate) {
  if (registers_.is_scalar(predicate)) return registers_.lane0(predicate, ptx::Type::pred);
  return any(both(context_.mask, registers_.vector(predicate, ptx::Type::pred)));
}

// Lanes that `ret` or `exit` leave the function. In one that is called there is no `exit`
// (ptx/rewrite/return_exits.hpp).
void ControlFlow::finish_exit(std::uint32_t block, const ptx::Instruction* exit) {
  if (!exit || !exit->guard.present) return find_next_lanes(block);
  ptx::Operand guard = ptx::Operand::make_reg(exit->guard.reg);
  guard.negated = exit->guard.negated;
  if (!schedule_.divergent(block)) {
    auto* gone = new_block("gone");
    auto* stays = new_block("stays");
    b_.CreateCondBr(uniform_predicate(guard), gone, stays);
    b_.SetInsertPoint(gone);
    if (schedule_.waiting_during(block).empty())
      b_.CreateBr(inputs_.end);
    else
      find_next_lanes(block);
    b_.SetInsertPoint(stays);
    leave_along(block, 0);
    return;
  }
  wait_at(facts_.cfg.successors(block)[0],
          both(context_.mask, b_.CreateNot(registers_.vector(guard, ptx::Type::pred))));
  find_next_lanes(block);
}

// The table's indices that lead to each of the block's edges, ascending.
std::vector<std::vector<std::uint32_t>> ControlFlow::indices_by_edge(std::uint32_t block,
                                                                     const ptx::Table& table) const {
  const auto successors = facts_.cfg.successors(block);
  std::unordered_map<std::uint32_t, std::size_t> edges;
  for (std::size_t edge = 0; edge < successors.size(); ++edge) edges.emplace(successors[edge], edge);
  std::vector<std::vector<std::uint32_t>> indices(successors.size());
  for (std::uint32_t i = 0; i < table.targets.size(); ++i)
    indices[edges.at(facts_.cfg.block_at(function_.labels[table.targets[i]].position))].push_back(i);
  return indices;
}

void ControlFlow::finish_indexed_branch(std::uint32_t block, const ptx::Instruction& branch) {
  if (branch.guard.present) refuse(branch, "a guarded brx.idx is not supported by the CPU device");
  if (!schedule_.divergent(block)) return finish_uniform_indexed_branch(block, branch);
  const ptx::Table& table = function_.tables[branch.operands[1].index];
  const auto successors = facts_.cfg.successors(block);
  Value* index = registers_.vector(branch.operands[0], ptx::Type::u32);
  Value* bad = both(context_.mask,
                    b_.CreateICmpUGE(index, splat(b_.getInt32(static_cast<std::uint32_t>(table.targets.size())))));
  branches_.when_any(bad, [&] { runtime_.bad_jump(branch, nullptr, bad, index); });
  const auto indices = indices_by_edge(block, table);
  for (std::size_t edge = 0; edge < successors.size(); ++edge) {
    Value* taken = nullptr;
    for (const std::uint32_t i : indices[edge]) {
      Value* equal = b_.CreateICmpEQ(index, splat(b_.getInt32(i)));
      taken = taken ? b_.CreateOr(taken, equal) : equal;
    }
    wait_at(successors[edge], both(context_.mask, taken));
  }
  find_next_lanes(block);
}

void ControlFlow::finish_uniform_indexed_branch(std::uint32_t block, const ptx::Instruction& branch) {
  const ptx::Operand& index = branch.operands[0];
  const ptx::Table& table = function_.tables[branch.operands[1].index];
  Value* scalar = registers_.is_scalar(index) ? registers_.lane0(index, ptx::Type::u32)
                                              : first_active(registers_.vector(index, ptx::Type::u32));
  auto* outside = new_block("outside");
  auto* choice = b_.CreateSwitch(scalar, outside, static_cast<unsigned>(table.targets.size()));
  const auto indices = indices_by_edge(block, table);
  std::map<std::size_t, llvm::BasicBlock*> edges;
  for (std::size_t edge = 0; edge < indices.size(); ++edge) {
    if (indices[edge].empty()) continue;
    llvm::BasicBlock* const place = edges[edge] = new_block("case");
    for (const std::uint32_t i : indices[edge]) choice->addCase(b_.getInt32(i), place);
  }
  b_.SetInsertPoint(outside);
  runtime_.bad_jump(branch, scalar, full_mask());
  b_.CreateUnreachable();
  for (const auto& [edge, place] : edges) {
    b_.SetInsertPoint(place);
    leave_along(block, edge);
  }
}

// All lanes of `block` take the edge: at once, or by waiting at its end.
void ControlFlow::leave_along(std::uint32_t block, std::size_t edge) {
  const std::uint32_t target = facts_.cfg.successors(block)[edge];
  if (!schedule_.direct(block, edge)) {
    wait_at(target, context_.mask);
    find_next_lanes(block);
    return;
  }
  const bool turn = schedule_.position(target) <= schedule_.position(block);
  if (const std::uint32_t loop = waiting_loop(block, target); turn && loop != Schedule::none) emit_turn(loop);
  if (schedule_.mask_of(target) == Schedule::none && schedule_.partial(target))
    b_.CreateStore(mask_or_full(context_.mask), mask_slots_[target]);
  b_.CreateBr(body(target));
}

void ControlFlow::wait_at(std::uint32_t block, Value* mask) {
  if (schedule_.mask_of(block) != Schedule::none) return;  // the lanes are those of an earlier block
  Value* waiting = b_.CreateLoad(vector_of(kernel_.abi.i1), pending_slots_[block]);
  b_.CreateStore(b_.CreateOr(waiting, mask_or_full(mask)), pending_slots_[block]);
}

// The lanes of `block` wait where they want to go, or are gone; the warp looks for others.
void ControlFlow::find_next_lanes(std::uint32_t block) {
  const auto& ending = schedule_.loops_ending(block);
  const bool alone = schedule_.waiting_during(block).empty() && facts_.cfg.successors(block).empty();
  if (alone)
    b_.CreateBr(inputs_.end);
  else if (!ending.empty())
    b_.CreateBr(loop_end(ending.front(), block));
  else
    b_.CreateBr(at_position(schedule_.position(block) + 1));
}

// The innermost loop of both whose turns may be a wait.
std::uint32_t ControlFlow::waiting_loop(std::uint32_t block, std::uint32_t target) const {
  for (std::uint32_t loop = facts_.cfg.loop_of(block); loop != Schedule::none; loop = facts_.cfg.loops()[loop].parent)
    if (facts_.cfg.loop_contains(loop, target) && facts_.spin_loops[loop]) return loop;
  return Schedule::none;
}

// One turn of a loop that may be waiting for another warp: every few turns others get to run. A loop that counts its
// turns comes nearer to its end by that.
void ControlFlow::emit_turn(std::uint32_t loop) {
  if (!kernel_.fibers) return;
  constexpr unsigned turns = 16;  // enough for a lock that is free next time, few enough not to waste a time slice
  if (!spins_) spins_ = entry_alloca(kernel_.abi.i32, "spins");
  Value* count = b_.CreateAdd(b_.CreateLoad(kernel_.abi.i32, spins_), b_.getInt32(1));
  b_.CreateStore(count, spins_);
  auto* yield = new_block("yield");
  auto* resumed = new_block("turn");
  b_.CreateCondBr(b_.CreateICmpEQ(b_.CreateAnd(count, b_.getInt32(turns - 1)), b_.getInt32(0)), yield, resumed);
  b_.SetInsertPoint(yield);
  runtime_.note_line(function_.body[context_.index]);
  runtime_.call(offsetof(RuntimeTable, spin), b_.getVoidTy(),
                {inputs_.warp, b_.getInt32(facts_.counted_loops[loop] ? 1 : 0)});
  b_.CreateBr(resumed);
  b_.SetInsertPoint(resumed);
}

std::uint32_t ControlFlow::mask_root(std::uint32_t block) const {
  while (schedule_.mask_of(block) != Schedule::none) block = schedule_.mask_of(block);
  return block;
}

// Where a warp goes to see whether lanes wait at `block`. Blocks that share their mask with an earlier one need no
// look.
llvm::BasicBlock* ControlFlow::look(std::uint32_t block) {
  if (schedule_.mask_of(block) != Schedule::none) return body(block);
  if (!looks_[block]) {
    looks_[block] = new_block("look" + std::to_string(block));
    places_.push_back([this, block] { emit_look(block, looks_[block]); });
  }
  return looks_[block];
}

llvm::BasicBlock* ControlFlow::loop_end(std::uint32_t loop, std::uint32_t last_block) {
  auto& place = loop_ends_[loop];
  if (!place) {
    place = new_block("loop_end" + std::to_string(loop));
    places_.push_back([this, loop, last_block, at = place] { emit_loop_end(loop, last_block, at); });
  }
  return place;
}

llvm::BasicBlock* ControlFlow::at_position(std::uint32_t position) {
  return position < schedule_.order().size() ? look(schedule_.order()[position]) : inputs_.end;
}

void ControlFlow::emit_look(std::uint32_t block, llvm::BasicBlock* place) {
  b_.SetInsertPoint(place);
  const Schedule::Skip skip = schedule_.skip(block);
  llvm::BasicBlock* otherwise = skip.loop != Schedule::none
                                    ? loop_end(skip.loop, facts_.cfg.loops()[skip.loop].blocks.back())
                                    : at_position(skip.position);
  if (!schedule_.has_pending(block)) {
    b_.CreateBr(otherwise);
    return;
  }
  Value* waiting = b_.CreateLoad(vector_of(kernel_.abi.i1), pending_slots_[block]);
  auto* enter = new_block("enter");
  b_.CreateCondBr(any(waiting), enter, otherwise);
  b_.SetInsertPoint(enter);
  b_.CreateStore(waiting, mask_slots_[block]);
  b_.CreateStore(llvm::Constant::getNullValue(waiting->getType()), pending_slots_[block]);
  b_.CreateBr(body(block));
}

void ControlFlow::emit_loop_end(std::uint32_t loop, std::uint32_t last_block, llvm::BasicBlock* place) {
  b_.SetInsertPoint(place);
  for (std::uint32_t target : schedule_.retreat_targets(loop)) {
    if (!schedule_.has_pending(target)) continue;
    Value* waiting = b_.CreateLoad(vector_of(kernel_.abi.i1), pending_slots_[target]);
    auto* again = new_block("again");
    auto* next = new_block("next");
    b_.CreateCondBr(any(waiting), again, next);
    b_.SetInsertPoint(again);
    if (facts_.spin_loops[loop]) emit_turn(loop);
    b_.CreateStore(waiting, mask_slots_[target]);
    b_.CreateStore(llvm::Constant::getNullValue(waiting->getType()), pending_slots_[target]);
    b_.CreateBr(body(target));
    b_.SetInsertPoint(next);
  }
  const auto& ending = schedule_.loops_ending(last_block);
  const auto next = std::find(ending.begin(), ending.end(), loop) + 1;
  b_.CreateBr(next != ending.end() ? loop_end(*next, last_block) : at_position(schedule_.position(last_block) + 1));
}

}  // namespace heddle::device::cpu
