#include "ptx/analysis/divergence.hpp"

#include <algorithm>

namespace heddle::ptx::analysis {
namespace {

std::uint64_t edge_key(std::uint32_t from, std::uint32_t to) { return (std::uint64_t{from} << 32) | to; }

}  // namespace

Divergence::Divergence(const ControlFlowGraph& cfg, const PostDominators& post) : Divergence(cfg, post.tree(), {}) {}

Divergence::Divergence(const ControlFlowGraph& cfg, const DominatorTree& post, std::vector<bool> ignored)
    : cfg_(cfg),
      post_(post),
      ignored_(std::move(ignored)),
      loop_exits_(cfg.loops().size()),
      loop_outcomes_(cfg.loops().size()),
      label_(cfg.size(), no_node) {
  for (std::uint32_t b : cfg.order()) {
    for (std::uint32_t loop = cfg.loop_of(b); loop != no_node; loop = cfg.loops()[loop].parent)
      for (std::uint32_t next : cfg.successors(b))
        if (!cfg.loop_contains(loop, next) && counts(b) && counts(next)) loop_exits_[loop].push_back({b, next});
  }
}

// An edge that starts the next turn of `loop`, or of a loop around it and so leaves `loop`.
bool Divergence::retreats_in(std::uint32_t from, std::uint32_t to, std::uint32_t loop) const {
  if (loop == no_node || cfg_.position(to) > cfg_.position(from)) return false;
  // Retreating edges of loops inside `loop` stay within those.
  for (std::uint32_t inner = cfg_.loop_of(to); inner != no_node && inner != loop; inner = cfg_.loops()[inner].parent)
    if (cfg_.loop_contains(inner, from) && cfg_.loop_contains(loop, cfg_.loops()[inner].header)) return false;
  return true;
}

// Labels name ways: start i has label size() + i, a block where ways join has its own number as the label of what
// follows.
std::uint32_t Divergence::label_of_edge(std::uint32_t from, std::uint32_t to) const {
  const auto it = std::find(starts_.begin(), starts_.end(), edge_key(from, to));
  if (it != starts_.end()) return cfg_.size() + static_cast<std::uint32_t>(it - starts_.begin());
  return label_[from];
}

// Lanes that turn back or leave before `stop` do not meet the others there in this turn: then there is no such place.
Divergence::Outcome Divergence::spread(std::span<const Start> starts, std::uint32_t loop, std::uint32_t stop) {
  bool stop_is_passed = false;
  Outcome outcome = spread_to(starts, loop, stop, stop_is_passed);
  if (stop_is_passed) outcome = spread_to(starts, loop, no_node, stop_is_passed);
  absorb_torn_loops(loop, outcome);
  return outcome;
}

// Lanes that enter an irreducible loop at different places are in it in different turns from then on.
void Divergence::find_torn_loops(std::uint32_t loop, Outcome& outcome) const {
  for (std::uint32_t l = 0; l < cfg_.loops().size(); ++l) {
    const Loop& inner = cfg_.loops()[l];
    if (!inner.irreducible() || (loop != no_node && (l == loop || !cfg_.loop_contains(loop, inner.header)))) continue;
    std::set<std::uint32_t> places, ways;
    for (std::uint32_t entry : inner.entries)
      for (std::uint32_t before : cfg_.predecessors(entry)) {
        if (!cfg_.block(before).reachable || cfg_.loop_contains(l, before) || !counts(entry)) continue;
        const std::uint32_t label = label_of_edge(before, entry);
        if (label == no_node || retreats_in(before, entry, loop)) continue;
        places.insert(entry);
        ways.insert(label);
      }
    if (places.size() > 1 && ways.size() > 1) outcome.torn.push_back(l);
  }
}

void Divergence::absorb_torn_loops(std::uint32_t loop, Outcome& outcome) {
  for (std::uint32_t torn : outcome.torn) {
    bool apart = true;
    for (std::uint32_t l = torn; apart && l != loop; l = cfg_.loops()[l].parent) {
      const Outcome& after = loop_outcome(l);
      const auto& blocks = cfg_.loops()[l].blocks;
      outcome.loops.push_back(l);
      outcome.loops.insert(outcome.loops.end(), after.loops.begin(), after.loops.end());
      outcome.joins.insert(outcome.joins.end(), after.joins.begin(), after.joins.end());
      outcome.visited.insert(outcome.visited.end(), blocks.begin(), blocks.end());
      outcome.visited.insert(outcome.visited.end(), after.visited.begin(), after.visited.end());
      outcome.regions.insert(outcome.regions.end(), after.regions.begin(), after.regions.end());
      DivergentRegion mixed{{}, true};
      for (std::uint32_t block : blocks) mixed.places.push_back({block, block});
      outcome.regions.push_back(std::move(mixed));
      apart = after.leaves_apart;
    }
    outcome.leaves_apart |= apart && loop != no_node;
  }
}

// The label of what follows when lanes come to `block` in this turn; no_node: they do not.
std::uint32_t Divergence::label_arriving(std::uint32_t block, std::uint32_t loop) const {
  std::uint32_t label = no_node;
  for (std::uint32_t before : cfg_.predecessors(block)) {
    if (!cfg_.block(before).reachable || !counts(before) || retreats_in(before, block, loop)) continue;
    const std::uint32_t arriving = label_of_edge(before, block);
    if (arriving == no_node) continue;
    if (label != no_node && label != arriving) return block;  // ways join
    label = arriving;
    if (label == block) break;
  }
  return label;
}

// The labels themselves: of every block that a lane comes to, joins with their own.
Divergence::Ways Divergence::spread_labels(std::span<const Start> starts, std::uint32_t loop, std::uint32_t stop,
                                           Outcome& outcome) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> work;  // (position, block)
  Ways ways;
  const auto follow = [&](std::uint32_t from, std::uint32_t to) {
    if (!counts(to)) return;
    if (loop != no_node && !cfg_.loop_contains(loop, to)) {
      ways.leaving.insert(label_of_edge(from, to));  // perhaps to the next turn of a loop around it
    } else if (retreats_in(from, to, loop)) {
      ways.staying.insert(label_of_edge(from, to));
    } else {
      work.insert({cfg_.position(to), to});
    }
  };
  for (const Start& start : starts) follow(start.from, start.to);
  while (!work.empty()) {
    const std::uint32_t block = work.begin()->second;
    work.erase(work.begin());
    if (label_[block] == block) continue;  // joins stay joins
    const std::uint32_t label = label_arriving(block, loop);
    if (label == label_[block]) continue;
    if (label_[block] == no_node) outcome.visited.push_back(block);
    label_[block] = label;
    if (block == stop) continue;
    for (std::uint32_t next : cfg_.successors(block)) follow(block, next);
  }
  return ways;
}

// The edges by which parted lanes come to `block`, in this turn of the loop or into its next one.
DivergentJoin Divergence::join_at(std::uint32_t block, std::uint32_t loop, bool next_turn) const {
  DivergentJoin join{block, {}};
  const auto before = cfg_.predecessors(block);
  for (std::uint32_t p = 0; p < before.size(); ++p)
    if (cfg_.block(before[p]).reachable && retreats_in(before[p], block, loop) == next_turn &&
        label_of_edge(before[p], block) != no_node)
      join.predecessors.push_back(p);
  return join;
}

// Carries the labels of `starts` through one turn of `loop` (the whole function for no_node) up to block `stop`.
Divergence::Outcome Divergence::spread_to(std::span<const Start> starts, std::uint32_t loop, std::uint32_t stop,
                                          bool& stop_is_passed) {
  Outcome outcome;
  starts_.clear();
  for (const Start& start : starts) starts_.push_back(edge_key(start.from, start.to));
  const Ways ways = spread_labels(starts, loop, stop, outcome);
  std::set<std::uint32_t> all = ways.leaving;
  all.insert(ways.staying.begin(), ways.staying.end());
  outcome.leaves_apart = !ways.leaving.empty() && all.size() > 1;
  stop_is_passed = stop < label_.size() && label_[stop] != no_node && !all.empty();
  for (std::uint32_t block : outcome.visited)
    if (label_[block] == block) outcome.joins.push_back(join_at(block, loop, false));
  // Lanes may also meet at the head of the loop, coming by several edges from one turn into the next.
  if (ways.staying.size() > 1) {
    for (std::uint32_t head : cfg_.loops()[loop].blocks) {
      DivergentJoin join = join_at(head, loop, true);
      if (join.predecessors.size() > 1) outcome.joins.push_back(std::move(join));
    }
  }
  find_torn_loops(loop, outcome);
  for (std::uint32_t l : outcome.torn) stop_is_passed |= stop < label_.size() && cfg_.loop_contains(l, stop);
  DivergentRegion region;
  for (std::uint32_t block : outcome.visited) {
    if (block != stop) region.places.push_back({block, label_[block]});
    label_[block] = no_node;
  }
  std::erase(outcome.visited, stop);
  outcome.regions.push_back(std::move(region));
  return outcome;
}

// Lanes that leave a loop in different turns part like lanes at a branch whose targets are the loop's exits.
const Divergence::Outcome& Divergence::loop_outcome(std::uint32_t loop) {
  auto& outcome = loop_outcomes_[loop];
  if (outcome) return *outcome;
  std::uint32_t stop = post_.root();
  for (std::size_t i = 0; i < loop_exits_[loop].size(); ++i) {
    const std::uint32_t to = loop_exits_[loop][i].to;
    stop = i == 0 ? to : post_.common(stop, to);
  }
  outcome = spread(loop_exits_[loop], cfg_.loops()[loop].parent, stop);
  return *outcome;
}

DivergenceEffect Divergence::of_branch(std::uint32_t block) {
  std::vector<Start> starts;
  for (std::uint32_t next : cfg_.successors(block))
    if (counts(next)) starts.push_back({block, next});
  std::uint32_t loop = cfg_.loop_of(block);
  Outcome outcome = spread(starts, loop, post_.immediate(block));
  const auto leaves = [&](std::uint32_t b) { return cfg_.block(b).exit != ExitKind::none; };
  DivergenceEffect effect{std::move(outcome.joins), std::move(outcome.loops), std::move(outcome.visited),
                          std::move(outcome.regions), false};
  for (bool apart = outcome.leaves_apart; apart; loop = cfg_.loops()[loop].parent) {
    effect.loops.push_back(loop);
    const auto& blocks = cfg_.loops()[loop].blocks;
    effect.partial.insert(effect.partial.end(), blocks.begin(), blocks.end());
    const Outcome& outer = loop_outcome(loop);
    effect.loops.insert(effect.loops.end(), outer.loops.begin(), outer.loops.end());
    effect.joins.insert(effect.joins.end(), outer.joins.begin(), outer.joins.end());
    effect.partial.insert(effect.partial.end(), outer.visited.begin(), outer.visited.end());
    effect.regions.insert(effect.regions.end(), outer.regions.begin(), outer.regions.end());
    apart = outer.leaves_apart;
  }
  effect.some_leave = leaves(block) || std::any_of(effect.partial.begin(), effect.partial.end(), leaves);
  return effect;
}

}  // namespace heddle::ptx::analysis
