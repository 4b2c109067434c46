// The order in which a warp runs the blocks of a divergent kernel, and what masks it needs.
//
// Blocks are laid out in one linear order (reverse post-order, loops contiguous). Lanes that branch to different blocks
// wait there; the warp always continues with the next block in the order that has waiting lanes, and returns to the
// head of a loop only when every lane of the loop has come back or left. So lanes reconverge at the immediate
// post-dominator of a branch, loops with several exits and irreducible loops need no rewriting, and no block runs twice
// in one pass. (The order is that of thread frontiers, Diamos et al., MICRO 2011, restricted to whole loops.)
//
// Loops that share a head have been made loops one inside the other before (ptx/rewrite/nest_loops.hpp): as one loop,
// lanes that leave the inner one would wait for all turns of the outer one.
//
// Where no lane can be waiting elsewhere, an edge is a plain jump: uniform control flow costs nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"

namespace heddle::device::cpu {

class Schedule {
 public:
  static constexpr std::uint32_t none = ptx::analysis::no_node;

  // `divergent[b]`: lanes may leave block b towards different successors, or some of them out of the function.
  // `entry_full`: every lane of every warp starts. The graphs must outlive the schedule.
  Schedule(const ptx::analysis::ControlFlowGraph& cfg, const ptx::analysis::DominatorTree& dominators,
           const ptx::analysis::PostDominators& post_dominators, std::vector<bool> divergent, bool entry_full);

  // The block whose mask this block runs with because exactly the same lanes run both; `none`: it has its own mask.
  std::uint32_t mask_of(std::uint32_t block) const { return mask_of_[block]; }
  // May run with some of the lanes that started missing.
  bool partial(std::uint32_t block) const { return partial_[block]; }
  // Lanes may wait in front of this block, in a mask variable of its own.
  bool has_pending(std::uint32_t block) const { return has_pending_[block]; }
  // All lanes that run block `from` and take this edge (successor number `edge`) jump at once.
  bool direct(std::uint32_t from, std::size_t edge) const { return direct_[from][edge]; }
  // Blocks at which lanes may be waiting while `block` runs.
  const std::vector<std::uint32_t>& waiting_during(std::uint32_t block) const { return waiting_[block]; }
  bool divergent(std::uint32_t block) const { return divergent_[block]; }

  std::uint32_t position(std::uint32_t block) const { return cfg_.position(block); }
  std::span<const std::uint32_t> order() const { return cfg_.order(); }
  // The loops whose last block in the order this is, innermost first.
  const std::vector<std::uint32_t>& loops_ending(std::uint32_t block) const { return loops_ending_[block]; }
  // Blocks of the loop where lanes may wait for its next turn, in order.
  const std::vector<std::uint32_t>& retreat_targets(std::uint32_t loop) const { return retreat_targets_[loop]; }
  // Where to look when no lane waits at `block`: at the next position that the block does not dominate, or first at the
  // end of a loop that lies before it.
  struct Skip {
    std::uint32_t position = none;
    std::uint32_t loop = none;
  };
  Skip skip(std::uint32_t block) const { return skip_[block]; }

 private:
  void find_loop_ends();
  void find_masks();
  void find_skips();
  void find_direct_edges();
  void propagate();
  bool demote_edges();
  bool edge_is_clear(std::uint32_t from, std::uint32_t to) const;
  void find_partial(bool entry_full);
  bool retreating(std::uint32_t from, std::uint32_t to) const { return position(to) <= position(from); }
  std::uint32_t common_loop(std::uint32_t a, std::uint32_t b) const;

  const ptx::analysis::ControlFlowGraph& cfg_;
  const ptx::analysis::DominatorTree& dominators_;
  const ptx::analysis::PostDominators& post_dominators_;
  std::vector<bool> divergent_, partial_, has_pending_, retreat_target_;
  std::vector<std::uint32_t> mask_of_;
  std::vector<std::vector<std::uint32_t>> waiting_, loops_ending_, retreat_targets_;
  std::vector<Skip> skip_;
  std::vector<std::vector<bool>> direct_;  // by number of the successor
  std::vector<std::vector<bool>> state_;   // blocks that may have waiting lanes when each block's body starts
};

}  // namespace heddle::device::cpu
