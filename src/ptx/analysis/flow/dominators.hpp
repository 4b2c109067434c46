// Dominators and post-dominators, by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
// Algorithm", 2001).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/graph.hpp"

namespace heddle::ptx::analysis {

// A tree over the nodes of a graph in which each node's parent is its immediate dominator.
class DominatorTree {
 public:
  DominatorTree(const Graph& graph, std::uint32_t root);

  std::uint32_t root() const { return root_; }
  // no_node for the root and for nodes that the root does not reach.
  std::uint32_t immediate(std::uint32_t node) const { return immediate_[node]; }
  bool reachable(std::uint32_t node) const { return enter_[node] != no_node; }
  // Every path from the root to b passes a; a node dominates itself. False when either is unreachable.
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    return reachable(a) && reachable(b) && enter_[a] <= enter_[b] && leave_[b] <= leave_[a];
  }
  std::uint32_t common(std::uint32_t a, std::uint32_t b) const;  // nearest node that dominates both
  std::uint32_t depth(std::uint32_t node) const { return depth_[node]; }
  // Reachable nodes, parents before children.
  std::span<const std::uint32_t> preorder() const { return preorder_; }

 private:
  void number_tree();

  std::uint32_t root_;
  std::vector<std::uint32_t> immediate_, enter_, leave_, depth_, preorder_;
};

// For each node, the nodes where its dominance ends. Cytron et al. 1991.
std::vector<std::vector<std::uint32_t>> dominance_frontiers(const Graph& graph, const DominatorTree& tree);

DominatorTree dominators(const ControlFlowGraph& cfg);

// Dominators of the reversed graph from a virtual exit. Blocks that end in ret, exit, trap or a call that never returns
// lead to it; so does the header of each cycle that nothing leaves, so that every reachable block has an immediate
// post-dominator.
class PostDominators {
 public:
  explicit PostDominators(const ControlFlowGraph& cfg);

  std::uint32_t virtual_exit() const { return tree_.root(); }
  // Where lanes that part at the end of `block` meet again; virtual_exit() when they do not before leaving.
  std::uint32_t immediate(std::uint32_t block) const { return tree_.immediate(block); }
  bool post_dominates(std::uint32_t a, std::uint32_t b) const { return tree_.dominates(a, b); }
  const DominatorTree& tree() const { return tree_; }

 private:
  DominatorTree tree_;
};

}  // namespace heddle::ptx::analysis
