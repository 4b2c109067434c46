#include "device/cpu/codegen/cut_functions.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace heddle::device::cpu {
namespace {

// The blocks of a function in runs that become functions of their own.
class Pieces {
 public:
  Pieces(llvm::Function& function, std::size_t size, const EndBlocks& ends) {
    split_blocks(function, size);
    group_blocks(function, size);
    erase_unreachable(function);
    find_repeated(ends);
  }

  std::size_t count() const { return blocks_.size(); }
  const std::vector<llvm::BasicBlock*>& blocks(std::size_t piece) const { return blocks_[piece]; }
  std::uint32_t of(const llvm::BasicBlock* block) const { return piece_of_.lookup(block); }
  std::uint32_t of(const llvm::Instruction* inst) const { return of(inst->getParent()); }
  // The piece may run again before the variables on the stack are dead.
  bool repeated(std::uint32_t piece) const { return repeated_[piece]; }
  // Other pieces lead to the block.
  bool is_entered(llvm::BasicBlock* block) const {
    return llvm::any_of(llvm::predecessors(block), [&](llvm::BasicBlock* b) { return of(b) != of(block); });
  }

 private:
  // From the end of a block to its beginning, so that each instruction is moved once.
  static void split_blocks(llvm::Function& function, std::size_t size) {
    std::vector<llvm::Instruction*> cuts;
    for (llvm::BasicBlock& block : function) {
      std::size_t count = 0;
      for (llvm::Instruction& inst : block) {
        const bool stays = llvm::isa<llvm::PHINode>(inst) || llvm::isa<llvm::AllocaInst>(inst) || inst.isTerminator();
        if (!stays && ++count % size == 0) cuts.push_back(&inst);
      }
    }
    for (std::size_t i = cuts.size(); i-- > 0;) cuts[i]->getParent()->splitBasicBlock(cuts[i]->getIterator(), "cut");
  }

  void group_blocks(llvm::Function& function, std::size_t size) {
    std::size_t count = size;
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
      if (count >= size) {
        blocks_.emplace_back();
        count = 0;
      }
      count += block->size();
      blocks_.back().push_back(block);
      piece_of_[block] = static_cast<std::uint32_t>(blocks_.size() - 1);
    }
  }

  void erase_unreachable(llvm::Function& function) const {
    std::vector<llvm::BasicBlock*> dead;
    for (llvm::BasicBlock& block : function)
      if (!piece_of_.contains(&block)) dead.push_back(&block);
    for (llvm::BasicBlock* block : dead)
      for (llvm::BasicBlock* next : llvm::successors(block)) next->removePredecessor(block, true);
    for (llvm::BasicBlock* block : dead) block->dropAllReferences();
    for (llvm::BasicBlock* block : dead) block->eraseFromParent();
  }

  // A circle of pieces has, for each of its pieces, an edge from that piece or a later one to it or an earlier one.
  void find_repeated(const EndBlocks& ends) {
    std::vector<int> change(count() + 1, 0);
    for (std::uint32_t p = 0; p < count(); ++p)
      for (llvm::BasicBlock* block : blocks_[p]) {
        if (ends.contains(block)) continue;
        for (llvm::BasicBlock* next : llvm::successors(block)) {
          if (of(next) >= p) continue;
          ++change[of(next)];
          --change[p + 1];
        }
      }
    int open = 0;
    for (std::uint32_t p = 0; p < count(); ++p) repeated_.push_back((open += change[p]) > 0);
  }

  std::vector<std::vector<llvm::BasicBlock*>> blocks_;
  std::vector<bool> repeated_;
  llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t> piece_of_;
};

// Gives each piece a function, in place of the one that it was cut from.
class FunctionCutter {
 public:
  FunctionCutter(llvm::Function& function, Pieces pieces)
      : function_(function),
        pieces_(std::move(pieces)),
        layout_(function.getParent()->getDataLayout()),
        number_(llvm::Type::getInt32Ty(function.getContext())),
        pointer_(llvm::PointerType::getUnqual(function.getContext())) {}

  // Bytes of the frame.
  std::uint64_t run() {
    number_entries();
    for (std::uint32_t p = 0; p < pieces_.count(); ++p) functions_.push_back(declare(p));
    variables_.resize(pieces_.count());
    demote_phis();
    place_variables();
    demote_values();
    for (std::uint32_t p = 0; p < pieces_.count(); ++p) {
      define(p);
      demote_what_is_bypassed(p);
    }
    call_pieces();
    return frame_bytes_;
  }

 private:
  void number_entries() {
    for (std::uint32_t p = 0; p < pieces_.count(); ++p)
      for (llvm::BasicBlock* block : pieces_.blocks(p)) {
        if (block != &function_.getEntryBlock() && !pieces_.is_entered(block)) continue;
        entry_number_[block] = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back(block);
      }
  }

  // u32 piece(void* frame, u32 entry, arguments of the function): which entry comes next.
  llvm::Function* declare(std::uint32_t piece) {
    llvm::SmallVector<llvm::Type*, 8> types{pointer_, number_};
    for (const llvm::Argument& argument : function_.args()) types.push_back(argument.getType());
    auto* made = llvm::Function::Create(llvm::FunctionType::get(number_, types, false), llvm::Function::InternalLinkage,
                                        function_.getName() + ".piece" + llvm::Twine(piece), *function_.getParent());
    made->addFnAttrs(llvm::AttrBuilder(function_.getContext(), function_.getAttributes().getFnAttrs()));
    made->addParamAttr(0, llvm::Attribute::NoAlias);
    if (llvm::DISubprogram* from = function_.getSubprogram())
      made->setSubprogram(llvm::DISubprogram::getDistinct(from->getContext(), from->getScope(), made->getName(),
                                                          made->getName(), from->getFile(), from->getLine(),
                                                          from->getType(), from->getScopeLine(), nullptr, 0, 0,
                                                          llvm::DINode::FlagZero, from->getSPFlags(), from->getUnit()));
    return made;
  }

  std::uint64_t make_slot(std::uint64_t bytes, llvm::Align align) {
    frame_align_ = std::max(frame_align_, align);
    frame_bytes_ = llvm::alignTo(frame_bytes_, align);
    return std::exchange(frame_bytes_, frame_bytes_ + bytes);
  }
  std::uint64_t make_slot(llvm::Type* type) {
    return make_slot(layout_.getTypeAllocSize(type), layout_.getABITypeAlign(type));
  }
  // In the frame of the piece where the instruction is put.
  llvm::Value* place(llvm::IRBuilder<>& b, std::uint64_t slot) {
    return b.CreateConstGEP1_64(b.getInt8Ty(), functions_[pieces_.of(b.GetInsertBlock())]->getArg(0), slot);
  }
  // Where the operand of an instruction must be there at the latest.
  static llvm::Instruction* point_of(const llvm::Use& use) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    return phi != nullptr ? phi->getIncomingBlock(use)->getTerminator() : user;
  }

  // Control that comes from another piece brings the values of phis in the frame.
  void demote_phis() {
    for (llvm::BasicBlock* block : entries_)
      while (auto* phi = llvm::dyn_cast<llvm::PHINode>(&block->front())) {
        const std::uint64_t slot = make_slot(phi->getType());
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
          llvm::IRBuilder<> b(phi->getIncomingBlock(i)->getTerminator());
          b.CreateStore(phi->getIncomingValue(i), place(b, slot));
        }
        llvm::IRBuilder<> b(block, block->getFirstInsertionPt());
        phi->replaceAllUsesWith(b.CreateLoad(phi->getType(), place(b, slot)));
        phi->eraseFromParent();
      }
  }

  // The only piece that uses the variable, by plain loads and stores; else none.
  std::uint32_t only_piece(const llvm::AllocaInst& variable) const {
    std::uint32_t piece = none;
    for (const llvm::Use& use : variable.uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const bool plain =
          llvm::isa<llvm::LoadInst>(user) || (llvm::isa<llvm::StoreInst>(user) && use.getOperandNo() == 1);
      if (!plain || (piece != none && pieces_.of(user) != piece)) return none;
      piece = pieces_.of(user);
    }
    return piece == none || pieces_.repeated(piece) ? none : piece;
  }

  void place_variables() {
    std::vector<llvm::AllocaInst*> all;
    for (llvm::Instruction& inst : function_.getEntryBlock())
      if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&inst)) all.push_back(variable);
    for (llvm::AllocaInst* variable : all) {
      if (const std::uint32_t piece = only_piece(*variable); piece != none) {
        variable->removeFromParent();
        variables_[piece].push_back(variable);
        continue;
      }
      const std::uint64_t slot = make_slot(variable->getAllocationSize(layout_)->getFixedValue(), variable->getAlign());
      for (llvm::Use& use : llvm::make_early_inc_range(variable->uses())) {
        llvm::IRBuilder<> b(point_of(use));
        use.set(place(b, slot));
      }
      variable->eraseFromParent();
    }
  }

  // What other pieces read is stored where it is computed, and loaded where it is read.
  void demote_values() {
    for (std::uint32_t p = 0; p < pieces_.count(); ++p)
      for (llvm::BasicBlock* block : pieces_.blocks(p))
        for (llvm::Instruction& inst : llvm::make_early_inc_range(*block))
          demote_where(inst, [&](const llvm::Use& use) { return pieces_.of(point_of(use)) != p; });
  }
  // A piece that runs again may begin behind what it computed the first time.
  void demote_what_is_bypassed(std::uint32_t piece) {
    const llvm::DominatorTree tree(*functions_[piece]);
    for (llvm::BasicBlock* block : pieces_.blocks(piece))
      for (llvm::Instruction& inst : llvm::make_early_inc_range(*block))
        demote_where(inst, [&](const llvm::Use& use) {
          return point_of(use)->getParent() != block && !tree.dominates(block, point_of(use)->getParent());
        });
  }
  template <class IsFar>
  void demote_where(llvm::Instruction& inst, const IsFar& is_far) {
    if (!llvm::any_of(inst.uses(), is_far)) return;
    const std::uint64_t slot = make_slot(inst.getType());
    for (llvm::Use& use : llvm::make_early_inc_range(inst.uses())) {
      if (!is_far(use)) continue;
      llvm::IRBuilder<> b(point_of(use));
      use.set(b.CreateLoad(inst.getType(), place(b, slot)));
    }
    llvm::BasicBlock* block = inst.getParent();
    llvm::IRBuilder<> b(block, llvm::isa<llvm::PHINode>(inst) ? block->getFirstInsertionPt() : ++inst.getIterator());
    b.SetCurrentDebugLocation(inst.getDebugLoc());
    b.CreateStore(&inst, place(b, slot));
  }

  void define(std::uint32_t piece) {
    llvm::Function& made = *functions_[piece];
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(function_.getContext(), "entry", &made));
    for (llvm::AllocaInst* variable : variables_[piece]) b.Insert(variable, variable->getName());
    std::vector<llvm::BasicBlock*> entered;
    for (llvm::BasicBlock* block : pieces_.blocks(piece)) {
      if (entry_number_.contains(block)) entered.push_back(block);
      made.splice(made.end(), &function_, block->getIterator());
    }
    auto* choice = b.CreateSwitch(made.getArg(1), entered.front(), static_cast<unsigned>(entered.size()));
    for (llvm::BasicBlock* block : entered) choice->addCase(b.getInt32(entry_number_[block]), block);
    llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*> exits;
    for (llvm::BasicBlock* block : pieces_.blocks(piece)) {
      for (llvm::Instruction& inst : *block) adopt(inst, made);
      leave(*block->getTerminator(), piece, exits);
    }
  }

  // The arguments and the place in the source become those of the piece.
  static void adopt(llvm::Instruction& inst, llvm::Function& made) {
    for (llvm::Use& use : inst.operands())
      if (auto* argument = llvm::dyn_cast<llvm::Argument>(use.get()); argument && argument->getParent() != &made)
        use.set(made.getArg(argument->getArgNo() + 2));
    if (const llvm::DILocation* at = inst.getDebugLoc().get(); at != nullptr && made.getSubprogram() != nullptr)
      inst.setDebugLoc(llvm::DILocation::get(made.getContext(), at->getLine(), at->getColumn(), made.getSubprogram()));
  }

  // Ways out of the piece return the number of the entry that they lead to.
  void leave(llvm::Instruction& terminator, std::uint32_t piece,
             llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*>& exits) {
    llvm::Function& made = *functions_[piece];
    if (llvm::isa<llvm::ReturnInst>(terminator)) {
      llvm::ReturnInst::Create(made.getContext(), llvm::ConstantInt::get(number_, none), terminator.getIterator());
      terminator.eraseFromParent();
      return;
    }
    for (unsigned i = 0; i < terminator.getNumSuccessors(); ++i) {
      llvm::BasicBlock* next = terminator.getSuccessor(i);
      if (pieces_.of(next) == piece) continue;
      llvm::BasicBlock*& exit = exits[next];
      if (exit == nullptr) {
        exit = llvm::BasicBlock::Create(made.getContext(), "exit", &made);
        llvm::ReturnInst::Create(made.getContext(), llvm::ConstantInt::get(number_, entry_number_.lookup(next)), exit);
      }
      terminator.setSuccessor(i, exit);
    }
  }

  // What is left of the function: it owns the frame, and calls one piece after the other.
  void call_pieces() {
    llvm::LLVMContext& context = function_.getContext();
    auto* start = llvm::BasicBlock::Create(context, "entry", &function_);
    auto* next = llvm::BasicBlock::Create(context, "next", &function_);
    auto* done = llvm::BasicBlock::Create(context, "done", &function_);
    llvm::IRBuilder<> b(start);
    if (llvm::DISubprogram* scope = function_.getSubprogram())
      b.SetCurrentDebugLocation(llvm::DILocation::get(context, scope->getLine(), 0, scope));
    llvm::AllocaInst* frame =
        b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), std::max<std::uint64_t>(frame_bytes_, 1)));
    frame->setAlignment(frame_align_);
    b.CreateBr(next);
    b.SetInsertPoint(next);
    llvm::PHINode* entry = b.CreatePHI(number_, static_cast<unsigned>(functions_.size() + 1));
    entry->addIncoming(b.getInt32(0), start);
    llvm::SwitchInst* choice = b.CreateSwitch(entry, done, static_cast<unsigned>(entries_.size()));
    std::vector<llvm::BasicBlock*> calls;
    for (llvm::Function* piece : functions_) {
      calls.push_back(llvm::BasicBlock::Create(context, "piece", &function_, done));
      b.SetInsertPoint(calls.back());
      llvm::SmallVector<llvm::Value*, 8> arguments{frame, entry};
      for (llvm::Argument& argument : function_.args()) arguments.push_back(&argument);
      entry->addIncoming(b.CreateCall(piece, arguments), calls.back());
      b.CreateBr(next);
    }
    for (llvm::BasicBlock* block : entries_)
      choice->addCase(b.getInt32(entry_number_[block]), calls[pieces_.of(block)]);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
  }

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  llvm::Function& function_;
  const Pieces pieces_;
  const llvm::DataLayout& layout_;
  llvm::Type* number_;
  llvm::Type* pointer_;
  std::vector<llvm::BasicBlock*> entries_;
  llvm::DenseMap<llvm::BasicBlock*, std::uint32_t> entry_number_;
  std::vector<llvm::Function*> functions_;
  std::vector<std::vector<llvm::AllocaInst*>> variables_;  // of a piece alone
  std::uint64_t frame_bytes_ = 0;
  llvm::Align frame_align_{16};
};

}  // namespace

CutResult cut_large_functions(llvm::Module& module, const CutLimits& limits, const EndBlocks& ends) {
  std::vector<llvm::Function*> large;
  CutResult result;
  for (llvm::Function& function : module) {
    const std::size_t size = function.getInstructionCount();
    if (size <= limits.whole || !function.getReturnType()->isVoidTy()) continue;
    large.push_back(&function);
    result.instructions += size;
  }
  for (llvm::Function* function : large) {
    Pieces pieces(*function, limits.piece, ends);
    result.pieces += pieces.count();
    result.frame_bytes = std::max(result.frame_bytes, FunctionCutter(*function, std::move(pieces)).run());
  }
  return result;
}

}  // namespace heddle::device::cpu
