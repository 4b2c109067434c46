#include "ptx/analysis/flow/divergence.hpp"

#include <algorithm>
#include <utility>

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
      label_(cfg.size(), no_node),
      loop_leaves_(cfg.loops().size()),
      limit_(std::max(least_work, most_work_per_block * cfg.size())) {
  for (std::uint32_t l = 0; l < cfg.loops().size(); ++l)
    if (cfg.loops()[l].irreducible()) irreducible_.push_back(l);
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
  const std::uint64_t edge = edge_key(from, to);
  const auto it = std::lower_bound(starts_.begin(), starts_.end(), std::pair(edge, std::uint32_t{0}));
  if (it != starts_.end() && it->first == edge) return cfg_.size() + it->second;
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
void Divergence::find_torn_loops(std::uint32_t loop, Outcome& outcome) {
  for (std::uint32_t l : irreducible_) {
    const Loop& inner = cfg_.loops()[l];
    ++work_;
    if (gave_up()) return;
    if (loop != no_node && (l == loop || !cfg_.loop_contains(loop, inner.header))) continue;
    std::set<std::uint32_t> places, ways;
    for (std::uint32_t entry : inner.entries)
      for (std::uint32_t before : cfg_.predecessors(entry)) {
        ++work_;
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
  for (std::uint32_t torn : std::exchange(outcome.torn, {})) {
    bool apart = true;
    for (std::uint32_t l = torn; apart && l != loop && !gave_up(); l = cfg_.loops()[l].parent) {
      outcome.torn.push_back(l);
      apart = loop_outcome(l).leaves_apart;
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
  while (!work.empty() && !gave_up()) {
    const std::uint32_t block = work.begin()->second;
    work.erase(work.begin());
    work_ += 1 + cfg_.predecessors(block).size();
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
  for (std::uint32_t i = 0; i < starts.size(); ++i) starts_.emplace_back(edge_key(starts[i].from, starts[i].to), i);
  std::sort(starts_.begin(), starts_.end());
  const Ways ways = spread_labels(starts, loop, stop, outcome);
  std::set<std::uint32_t> all = ways.leaving;
  all.insert(ways.staying.begin(), ways.staying.end());
  outcome.leaves_apart = !ways.leaving.empty() && all.size() > 1;
  stop_is_passed = stop < label_.size() && label_[stop] != no_node && !all.empty();
  for (std::uint32_t block : outcome.visited)
    if (label_[block] == block) outcome.joins.push_back(join_at(block, loop, false));
  // Lanes may also meet at the head of the loop, coming by several edges from one turn into the next.
  if (ways.staying.size() > 1) {
    work_ += cfg_.loops()[loop].blocks.size();
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

bool Divergence::leaves(std::span<const std::uint32_t> blocks) const {
  return std::any_of(blocks.begin(), blocks.end(),
                     [&](std::uint32_t b) { return cfg_.block(b).exit != ExitKind::none; });
}

bool Divergence::loop_leaves(std::uint32_t loop) {
  if (!loop_leaves_[loop]) {
    const Outcome& outcome = loop_outcome(loop);
    bool found = leaves(cfg_.loops()[loop].blocks) || leaves(outcome.visited);
    for (std::uint32_t torn : outcome.torn) found = found || loop_leaves(torn);
    loop_leaves_[loop] = found;
  }
  return *loop_leaves_[loop];
}

void Divergence::add_outcome(const Outcome& outcome, KnownLoops& known, DivergenceEffect& effect) {
  effect.joins.insert(effect.joins.end(), outcome.joins.begin(), outcome.joins.end());
  effect.partial.insert(effect.partial.end(), outcome.visited.begin(), outcome.visited.end());
  effect.regions.insert(effect.regions.end(), outcome.regions.begin(), outcome.regions.end());
  effect.some_leave |= leaves(outcome.visited);
  for (std::uint32_t torn : outcome.torn) add_loop(torn, true, known, effect);
}

// Lanes are in different turns of the loop; where it is `mixed`, also in any two places of it.
void Divergence::add_loop(std::uint32_t loop, bool mixed, KnownLoops& known, DivergenceEffect& effect) {
  constexpr std::uint8_t known_apart = 1, known_mixed = 2;
  if (gave_up()) return;
  effect.some_leave |= loop_leaves(loop);
  const auto& blocks = cfg_.loops()[loop].blocks;
  if (mixed && (known[loop] & known_mixed) == 0) {
    known[loop] |= known_mixed;
    DivergentRegion region{{}, true};
    for (std::uint32_t block : blocks) region.places.push_back({block, block});
    effect.regions.push_back(std::move(region));
    work_ += blocks.size();
  }
  if ((known[loop] & known_apart) != 0) return;
  known[loop] |= known_apart;
  effect.loops.push_back(loop);
  effect.partial.insert(effect.partial.end(), blocks.begin(), blocks.end());
  work_ += blocks.size();
  add_outcome(loop_outcome(loop), known, effect);
}

DivergenceEffect Divergence::of_branch(std::uint32_t block, KnownLoops& known) {
  known.resize(cfg_.loops().size(), 0);
  DivergenceEffect effect;
  std::vector<Start> starts;
  for (std::uint32_t next : cfg_.successors(block))
    if (counts(next)) starts.push_back({block, next});
  std::uint32_t loop = cfg_.loop_of(block);
  if (!gave_up()) {
    const Outcome outcome = spread(starts, loop, post_.immediate(block));
    effect.some_leave = cfg_.block(block).exit != ExitKind::none;
    add_outcome(outcome, known, effect);
    for (bool apart = outcome.leaves_apart; apart && !gave_up(); loop = cfg_.loops()[loop].parent) {
      add_loop(loop, false, known, effect);
      apart = loop_outcome(loop).leaves_apart;
    }
  }
  effect.given_up = gave_up();
  return effect;
}

}  // namespace heddle::ptx::analysis
