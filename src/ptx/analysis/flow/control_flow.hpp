// The control-flow graph of a function: basic blocks as ranges of instructions, their edges, the order in which
// analyses and code generators visit them, and the nest of loops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/analysis/flow/graph.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

enum class EdgeKind : std::uint8_t {
  fall_through,  // to the next instruction, also past a guarded branch that was not taken
  branch,        // target of bra
  indirect,      // target of brx.idx
};

// How lanes may leave the function at the end of a block.
enum class ExitKind : std::uint8_t {
  none,
  ret,        // ret, or running off the end of the body
  exit,       // exit
  trap,       // trap
  no_return,  // a call that never comes back
};

struct BasicBlock {
  std::uint32_t begin = 0, end = 0;  // instructions [begin, end) of Function::body; empty only at the end of the body
  ExitKind exit = ExitKind::none;    // set for guarded ret and exit too: then there is also a fall-through edge
  bool reachable = false;            // from the entry
  // The last instruction decides where to go: a guarded bra, ret or exit, or brx.idx with several targets.
  bool decides = false;
};

// A strongly connected set of blocks, found within its parent once the parent's header is left out (Bourdoncle 1993),
// so that loops with several entries (irreducible flow) appear like natural ones.
struct Loop {
  std::uint32_t header = 0;            // the entry that comes first in the order
  std::uint32_t parent = no_node;      // the loop around it
  std::uint32_t depth = 1;             // 1 for an outermost loop
  std::vector<std::uint32_t> blocks;   // in order(), header first, blocks of inner loops included
  std::vector<std::uint32_t> entries;  // blocks of the loop that are entered from outside; one for a natural loop
  bool irreducible() const { return entries.size() > 1; }
};

class ControlFlowGraph {
 public:
  // `module`: for which called functions never return; without it only call prototypes do.
  explicit ControlFlowGraph(const Function& function, const Module* module = nullptr);

  std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
  const BasicBlock& block(std::uint32_t index) const { return blocks_[index]; }
  std::span<const BasicBlock> blocks() const { return blocks_; }
  const Graph& graph() const { return graph_; }
  std::span<const std::uint32_t> successors(std::uint32_t block) const { return graph_.successors(block); }
  std::span<const std::uint32_t> predecessors(std::uint32_t block) const { return graph_.predecessors(block); }
  // Kinds of the edges to successors(block), in the same order. Each successor appears once; a guarded bra lists its
  // target first, then the fall-through.
  std::span<const EdgeKind> edge_kinds(std::uint32_t block) const {
    return std::span(kinds_).subspan(kind_first_[block], graph_.successors(block).size());
  }
  // The block that holds an instruction.
  std::uint32_t block_of(std::uint32_t instruction) const { return block_of_[instruction]; }
  // The block that a label stands before; no_node when nothing branches to it and no block starts there.
  std::uint32_t block_at(std::uint32_t instruction_index) const;

  // Reachable blocks in reverse post-order, entry first; the blocks of each loop are contiguous and its header leads.
  std::span<const std::uint32_t> order() const { return order_; }
  // Index in order(); no_node for unreachable blocks.
  std::uint32_t position(std::uint32_t block) const { return position_[block]; }

  std::span<const Loop> loops() const { return loops_; }                        // outer loops before inner ones
  std::uint32_t loop_of(std::uint32_t block) const { return loop_of_[block]; }  // innermost; no_node outside
  bool loop_contains(std::uint32_t loop, std::uint32_t block) const;

 private:
  void find_loops();
  void find_entries();

  std::vector<BasicBlock> blocks_;
  std::vector<EdgeKind> kinds_;
  std::vector<std::uint32_t> kind_first_, block_of_, order_, position_, loop_of_;
  std::vector<Loop> loops_;
  Graph graph_;
};

// True when `inst` is a call of a function that is declared .noreturn.
bool never_returns(const Instruction& inst, const Function& function, const Module* module);

}  // namespace heddle::ptx::analysis
