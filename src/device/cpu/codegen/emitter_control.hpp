// Control flow (schedule.hpp): the masks of blocks, the lanes that wait in front of them, and the edges between them.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"
#include "device/cpu/codegen/schedule.hpp"

namespace heddle::device::cpu {

class ControlFlow : private EmitterPart {
 public:
  ControlFlow(FunctionContext& context, Values& values);

  void start();  // makes the masks, with the lanes that start in the first block's
  llvm::BasicBlock* body(std::uint32_t block);
  Value* load_mask(std::uint32_t block);  // null: all lanes
  // Whether the instruction is the one that leaves a block, which is emitted by finish_block.
  static bool ends_block(const ptx::Instruction& inst);
  void finish_block(std::uint32_t block);
  void finish();  // emits the places between blocks that blocks have jumped to

  // The block is in a loop whose turns may be waits for others.
  bool may_wait_at(std::uint32_t block) const { return waiting_loop(block, block) != Schedule::none; }

 private:
  std::uint32_t waiting_loop(std::uint32_t block, std::uint32_t target) const;
  void finish_branch(std::uint32_t block, const ptx::Instruction& branch);
  void finish_indexed_branch(std::uint32_t block, const ptx::Instruction& branch);
  void finish_uniform_indexed_branch(std::uint32_t block, const ptx::Instruction& branch);
  std::vector<std::vector<std::uint32_t>> indices_by_edge(std::uint32_t block, const ptx::Table& table) const;
  void finish_exit(std::uint32_t block, const ptx::Instruction* exit);
  void leave_along(std::uint32_t block, std::size_t edge);
  void wait_at(std::uint32_t block, Value* mask);
  void find_next_lanes(std::uint32_t block);
  llvm::BasicBlock* look(std::uint32_t block);
  llvm::BasicBlock* loop_end(std::uint32_t loop, std::uint32_t last_block);
  llvm::BasicBlock* at_position(std::uint32_t position);
  void emit_look(std::uint32_t block, llvm::BasicBlock* place);
  void emit_loop_end(std::uint32_t loop, std::uint32_t last_block, llvm::BasicBlock* place);
  std::uint32_t mask_root(std::uint32_t block) const;
  void emit_turn(std::uint32_t loop);
  Value* uniform_predicate(const ptx::Operand& predicate);

  RuntimeAccess& runtime_;
  Registers& registers_;
  Branches& branches_;
  const Schedule& schedule_;
  std::vector<llvm::AllocaInst*> mask_slots_, pending_slots_;  // by block
  std::vector<llvm::BasicBlock*> bodies_, looks_;              // by block
  std::map<std::uint32_t, llvm::BasicBlock*> loop_ends_;
  std::vector<std::function<void()>> places_;  // looks and loop ends still to be emitted
  llvm::AllocaInst* spins_ = nullptr;          // turns of loops that may wait
};

}  // namespace heddle::device::cpu
