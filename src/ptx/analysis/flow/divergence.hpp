// The effects of a divergent branch: where lanes reconverge with possibly different values, which loops they leave in
// different iterations, and which blocks run with some lanes inactive.
//
// Lanes are assumed to run loop by loop: none starts the next iteration of a loop before all lanes in the loop have
// finished this one or left, and lanes that have left wait for the others. Within an iteration they reconverge no later
// than at the immediate post-dominator of the branch. (Compare Moll and Hack, "Partial Control-Flow Linearization",
// PLDI 2018, and the sync dependence of LLVM's uniformity analysis.)
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"

namespace heddle::ptx::analysis {

struct DivergentJoin {
  std::uint32_t block = 0;
  // Numbers in cfg.predecessors(block) of the edges that diverged lanes arrive by.
  std::vector<std::uint32_t> predecessors;
};

// Blocks that diverged lanes run, each with a label: lanes in blocks of one label are converged.
struct DivergentRegion {
  struct Place {
    std::uint32_t block = 0, label = 0;
  };
  std::vector<Place> places;
  bool mixed = false;  // lanes run an irreducible loop in different iterations: none of its blocks are surely converged
};

struct DivergenceEffect {
  std::vector<DivergentJoin> joins;    // blocks that lanes reach by disjoint paths from the branch
  std::vector<std::uint32_t> loops;    // loops that lanes leave in different iterations
  std::vector<std::uint32_t> partial;  // blocks that may run with some lanes inactive
  std::vector<DivergentRegion> regions;
  bool some_leave = false;  // lanes may leave the function on a path: later blocks run without them
  bool given_up = false;    // too much work: the effect is not known, and may be any
};

// Which loops a caller has seen the effects of, by number; empty at first.
using KnownLoops = std::vector<std::uint8_t>;

class Divergence {
 public:
  Divergence(const ControlFlowGraph& cfg, const PostDominators& post);
  // The same for the part of the graph without the blocks for which ignored[block] holds: lanes that go there do not
  // count. `post` is the tree of post-dominators of that part, its root a virtual exit.
  Divergence(const ControlFlowGraph& cfg, const DominatorTree& post, std::vector<bool> ignored);

  // The effect of lanes taking different successors at the end of `block`, outer loops included. Leaves out effects
  // that `known` says the caller has seen with another branch, and adds to it; `some_leave` is always that of all.
  DivergenceEffect of_branch(std::uint32_t block, KnownLoops& known);

  // Blocks and edges that were looked at, for all branches together. Beyond the limit it gives up: the work for one
  // branch is up to that of the whole graph.
  std::size_t work() const { return work_; }
  static constexpr std::size_t most_work_per_block = 2048, least_work = 1u << 20;

 private:
  struct Start {
    std::uint32_t from = 0, to = 0;
  };
  struct Outcome {
    std::vector<DivergentJoin> joins;
    std::vector<std::uint32_t> visited;
    std::vector<DivergentRegion> regions;
    std::vector<std::uint32_t> torn;  // loops further in that lanes enter at several places at different times, and
                                      // those around them that lanes then leave in different turns
    bool leaves_apart = false;        // some lanes leave the loop while others may stay
  };
  // Labels on edges out of a loop, and to its next turn.
  struct Ways {
    std::set<std::uint32_t> leaving, staying;
  };
  Outcome spread(std::span<const Start> starts, std::uint32_t loop, std::uint32_t stop);
  Outcome spread_to(std::span<const Start> starts, std::uint32_t loop, std::uint32_t stop, bool& stop_is_passed);
  std::uint32_t label_arriving(std::uint32_t block, std::uint32_t loop) const;
  Ways spread_labels(std::span<const Start> starts, std::uint32_t loop, std::uint32_t stop, Outcome& outcome);
  DivergentJoin join_at(std::uint32_t block, std::uint32_t loop, bool next_turn) const;
  void find_torn_loops(std::uint32_t loop, Outcome& outcome);
  void absorb_torn_loops(std::uint32_t loop, Outcome& outcome);
  bool counts(std::uint32_t block) const { return ignored_.empty() || !ignored_[block]; }
  std::uint32_t label_of_edge(std::uint32_t from, std::uint32_t to) const;
  bool retreats_in(std::uint32_t from, std::uint32_t to, std::uint32_t loop) const;
  const Outcome& loop_outcome(std::uint32_t loop);
  void add_outcome(const Outcome& outcome, KnownLoops& known, DivergenceEffect& effect);
  void add_loop(std::uint32_t loop, bool mixed, KnownLoops& known, DivergenceEffect& effect);
  bool leaves(std::span<const std::uint32_t> blocks) const;
  bool loop_leaves(std::uint32_t loop);
  bool gave_up() const { return work_ > limit_; }

  const ControlFlowGraph& cfg_;
  const DominatorTree& post_;
  std::vector<bool> ignored_;
  std::vector<std::vector<Start>> loop_exits_;
  std::vector<std::optional<Outcome>> loop_outcomes_;
  std::vector<std::uint32_t> label_;  // of blocks, while spread() runs; no_node otherwise
  // Edges that carry labels of their own, with their numbers, while spread() runs; ascending.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> starts_;
  std::vector<std::uint32_t> irreducible_;        // loops
  std::vector<std::optional<bool>> loop_leaves_;  // whether lanes leave the function in the effect of a loop
  std::size_t work_ = 0, limit_ = 0;
};

}  // namespace heddle::ptx::analysis
