#include "device/cpu/codegen/schedule.hpp"

#include <algorithm>

namespace heddle::device::cpu {

using BlockSet = std::vector<bool>;

Schedule::Schedule(const ptx::analysis::ControlFlowGraph& cfg, const ptx::analysis::DominatorTree& dominators,
                   const ptx::analysis::PostDominators& post_dominators, std::vector<bool> divergent, bool entry_full)
    : cfg_(cfg), dominators_(dominators), post_dominators_(post_dominators), divergent_(std::move(divergent)) {
  find_loop_ends();
  find_masks();
  find_skips();
  find_direct_edges();
  find_partial(entry_full);
}

std::uint32_t Schedule::common_loop(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t loop = cfg_.loop_of(a);
  while (loop != none && !cfg_.loop_contains(loop, b)) loop = cfg_.loops()[loop].parent;
  return loop;
}

void Schedule::find_loop_ends() {
  retreat_target_.assign(cfg_.size(), false);
  retreat_targets_.assign(cfg_.loops().size(), {});
  for (std::uint32_t b : order())
    for (std::uint32_t s : cfg_.successors(b)) {
      if (!retreating(b, s)) continue;
      retreat_target_[s] = true;
      auto& targets = retreat_targets_[common_loop(b, s)];
      if (std::find(targets.begin(), targets.end(), s) == targets.end()) targets.push_back(s);
    }
  loops_ending_.assign(cfg_.size(), {});
  for (std::uint32_t l = 0; l < cfg_.loops().size(); ++l) {
    auto& targets = retreat_targets_[l];
    std::sort(targets.begin(), targets.end(), [&](auto a, auto b) { return position(a) < position(b); });
    loops_ending_[cfg_.loops()[l].blocks.back()].push_back(l);
  }
  for (auto& loops : loops_ending_)
    std::sort(loops.begin(), loops.end(),
              [&](auto a, auto b) { return cfg_.loops()[a].depth > cfg_.loops()[b].depth; });
}

// A block J runs with exactly the lanes of an earlier block D when D dominates J, J post-dominates D and both belong to
// the same innermost loop. All blocks between them in the order must be D's, so that J cannot be reached past D. None
// of them may lead back to where D's turn began, or past J, from where lanes come to J in a later turn of the loop:
// lanes would come to J in different turns.
void Schedule::find_masks() {
  mask_of_.assign(cfg_.size(), none);
  for (std::uint32_t j : order()) {
    if (retreat_target_[j]) continue;
    for (std::uint32_t d = dominators_.immediate(j); d != none; d = dominators_.immediate(d)) {
      if (cfg_.loop_of(d) != cfg_.loop_of(j) || !post_dominators_.post_dominates(j, d)) continue;
      bool contiguous = true;
      for (std::uint32_t p = position(d) + 1; p < position(j); ++p) contiguous &= dominators_.dominates(d, order()[p]);
      for (std::uint32_t p = position(d); p < position(j); ++p)
        for (std::uint32_t next : cfg_.successors(order()[p]))
          contiguous &= position(next) > position(d) && position(next) <= position(j);
      if (contiguous) mask_of_[j] = d;
      break;
    }
  }
}

void Schedule::find_skips() {
  skip_.assign(cfg_.size(), {});
  for (std::uint32_t b : order()) {
    std::uint32_t p = position(b);
    for (;; ++p) {
      // Behind the last block of a loop that b is only a part of, the lanes that wait for its next turn come first.
      for (std::uint32_t loop : loops_ending_[order()[p]])
        if (!dominators_.dominates(b, cfg_.loops()[loop].header)) {
          skip_[b].loop = loop;
          break;
        }
      if (skip_[b].loop != none || p + 1 == order().size() || !dominators_.dominates(b, order()[p + 1])) break;
    }
    skip_[b].position = p + 1;
  }
}

void Schedule::find_direct_edges() {
  direct_.assign(cfg_.size(), {});
  for (std::uint32_t b : order()) direct_[b].assign(cfg_.successors(b).size(), !divergent_[b]);
  do propagate();
  while (demote_edges());
  has_pending_.assign(cfg_.size(), false);
  for (std::uint32_t b : order())
    for (std::size_t i = 0; i < direct_[b].size(); ++i)
      if (const std::uint32_t s = cfg_.successors(b)[i]; !direct_[b][i] && mask_of_[s] == none) has_pending_[s] = true;
  waiting_.assign(cfg_.size(), {});
  for (std::uint32_t b : order())
    for (std::uint32_t x : order())
      if (x != b && state_[b][x]) waiting_[b].push_back(x);
}

namespace {

// Forward data flow over the jumps that the emitter makes: to the body of a block, to the look whether lanes wait at a
// block, to the end of a loop. Each place collects the blocks at which lanes may be waiting when it is reached.
class Flow {
 public:
  Flow(std::size_t blocks, std::size_t loops)
      : body(blocks, BlockSet(blocks)),
        look(blocks, BlockSet(blocks)),
        loop_end(loops, BlockSet(blocks)),
        reached(blocks),
        looked(blocks),
        ended(loops) {}

  void to_body(std::uint32_t b, BlockSet set) {
    set[b] = false;
    merge(body[b], set);
    set_flag(reached, b);
  }
  void to_look(std::uint32_t b, const BlockSet& set) {
    merge(look[b], set);
    set_flag(looked, b);
  }
  void to_loop_end(std::uint32_t loop, const BlockSet& set) {
    merge(loop_end[loop], set);
    set_flag(ended, loop);
  }

  std::vector<BlockSet> body, look, loop_end;
  std::vector<bool> reached, looked, ended;
  bool changed = true;

 private:
  void merge(BlockSet& into, const BlockSet& from) {
    for (std::size_t i = 0; i < into.size(); ++i)
      if (from[i] && !into[i]) into[i] = changed = true;
  }
  void set_flag(std::vector<bool>& flags, std::uint32_t i) {
    changed |= !flags[i];
    flags[i] = true;
  }
};

}  // namespace

void Schedule::propagate() {
  Flow flow(cfg_.size(), cfg_.loops().size());
  flow.to_body(order()[0], BlockSet(cfg_.size()));
  const auto to_position = [&](std::uint32_t p, const BlockSet& set) {
    if (p >= order().size()) return;
    const std::uint32_t b = order()[p];
    if (mask_of_[b] != none)
      flow.to_body(b, set);
    else
      flow.to_look(b, set);
  };
  const auto leave_look = [&](std::uint32_t b) {
    flow.to_body(b, flow.look[b]);
    BlockSet rest = flow.look[b];
    rest[b] = false;
    if (skip_[b].loop != none)
      flow.to_loop_end(skip_[b].loop, rest);
    else
      to_position(skip_[b].position, rest);
  };
  const auto leave_body = [&](std::uint32_t b) {
    BlockSet spread = flow.body[b];
    bool continues = divergent_[b] || cfg_.successors(b).empty() || cfg_.block(b).exit != ptx::analysis::ExitKind::none;
    for (std::size_t i = 0; i < direct_[b].size(); ++i) {
      const std::uint32_t s = cfg_.successors(b)[i];
      if (direct_[b][i])
        flow.to_body(s, flow.body[b]);
      else
        spread[s] = continues = true;
    }
    if (!continues) return;
    if (loops_ending_[b].empty())
      to_position(position(b) + 1, spread);
    else
      flow.to_loop_end(loops_ending_[b].front(), spread);
  };
  const auto leave_loop_end = [&](std::uint32_t b, std::size_t i) {
    const std::uint32_t loop = loops_ending_[b][i];
    BlockSet rest = flow.loop_end[loop];
    for (std::uint32_t t : retreat_targets_[loop])
      if (flow.loop_end[loop][t]) {
        flow.to_body(t, flow.loop_end[loop]);
        rest[t] = false;
      }
    if (i + 1 < loops_ending_[b].size())
      flow.to_loop_end(loops_ending_[b][i + 1], rest);
    else
      to_position(position(b) + 1, rest);
  };
  while (flow.changed) {
    flow.changed = false;
    for (std::uint32_t b : order()) {
      if (flow.looked[b]) leave_look(b);
      if (flow.reached[b]) leave_body(b);
      for (std::size_t i = 0; i < loops_ending_[b].size(); ++i)
        if (flow.ended[loops_ending_[b][i]]) leave_loop_end(b, i);
    }
  }
  state_ = std::move(flow.body);
}

// A whole active set may jump at once only past blocks where nobody waits; backwards, and out of a loop, only when
// nobody waits in the loop, be it for its next turn.
bool Schedule::edge_is_clear(std::uint32_t from, std::uint32_t to) const {
  const BlockSet& waiting = state_[from];
  if (retreating(from, to)) {
    const auto& blocks = cfg_.loops()[common_loop(from, to)].blocks;
    return std::none_of(blocks.begin(), blocks.end(), [&](std::uint32_t x) { return waiting[x]; });
  }
  for (std::uint32_t loop = cfg_.loop_of(from); loop != none && !cfg_.loop_contains(loop, to);
       loop = cfg_.loops()[loop].parent)
    for (std::uint32_t x : cfg_.loops()[loop].blocks)
      if (waiting[x]) return false;
  for (std::uint32_t p = position(from) + 1; p < position(to); ++p)
    if (waiting[order()[p]]) return false;
  return mask_of_[to] != none || !waiting[to];
}

bool Schedule::demote_edges() {
  bool demoted = false;
  for (std::uint32_t b : order())
    for (std::size_t i = 0; i < direct_[b].size(); ++i)
      if (direct_[b][i] && !edge_is_clear(b, cfg_.successors(b)[i])) {
        direct_[b][i] = false;
        demoted = true;
      }
  return demoted;
}

void Schedule::find_partial(bool entry_full) {
  partial_.assign(cfg_.size(), false);
  for (std::uint32_t b : order()) partial_[b] = has_pending_[b];
  if (!entry_full) partial_[order()[0]] = true;
  const auto becomes_partial = [&](std::uint32_t b) {
    if (partial_[b]) return false;
    if (mask_of_[b] != none) return bool{partial_[mask_of_[b]]};
    for (std::uint32_t p : cfg_.predecessors(b)) {
      const auto successors = cfg_.successors(p);
      const auto i = std::find(successors.begin(), successors.end(), b) - successors.begin();
      if (cfg_.block(p).reachable && direct_[p][i] && partial_[p]) return true;
    }
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b : order())
      if (becomes_partial(b)) partial_[b] = changed = true;
  }
}

}  // namespace heddle::device::cpu
