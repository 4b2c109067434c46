#include "ptx/analysis/flow/dominators.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::ptx::analysis {

DominatorTree::DominatorTree(const Graph& graph, std::uint32_t root) : root_(root) {
  const std::vector<std::uint32_t> order = reverse_post_order(graph, root);
  std::vector<std::uint32_t> position(graph.size(), no_node), parent(order.size(), no_node);
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (a > b) a = parent[a];
      while (b > a) b = parent[b];
    }
    return a;
  };
  // Everything below is in positions of the order: a parent always has the smaller one.
  parent[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 1; i < order.size(); ++i) {
      std::uint32_t best = no_node;
      for (std::uint32_t before : graph.predecessors(order[i])) {
        const std::uint32_t p = position[before];
        if (p == no_node || parent[p] == no_node) continue;
        best = best == no_node ? p : meet(p, best);
      }
      changed |= parent[i] != best;
      parent[i] = best;
    }
  }
  immediate_.assign(graph.size(), no_node);
  for (std::uint32_t i = 1; i < order.size(); ++i) immediate_[order[i]] = order[parent[i]];
  preorder_ = order;
  number_tree();
}

// Numbers nodes by a walk of the tree so that dominance is a comparison of intervals.
void DominatorTree::number_tree() {
  const std::size_t nodes = immediate_.size();
  enter_.assign(nodes, no_node);
  leave_.assign(nodes, 0);
  depth_.assign(nodes, 0);
  std::vector<std::uint32_t> subtree(nodes, 1), next(nodes, 0);
  // The reverse post-order lists parents first, so sizes add up from its end.
  for (std::size_t i = preorder_.size(); i-- > 1;) subtree[immediate_[preorder_[i]]] += subtree[preorder_[i]];
  for (std::uint32_t node : preorder_) {
    const std::uint32_t above = immediate_[node];
    enter_[node] = above == no_node ? 0 : next[above];
    if (above != no_node) {
      next[above] += subtree[node];
      depth_[node] = depth_[above] + 1;
    }
    next[node] = enter_[node] + 1;
    leave_[node] = enter_[node] + subtree[node];
  }
  std::sort(preorder_.begin(), preorder_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return enter_[a] < enter_[b]; });
}

std::uint32_t DominatorTree::common(std::uint32_t a, std::uint32_t b) const {
  while (a != b) {
    if (depth_[a] < depth_[b]) std::swap(a, b);
    a = immediate_[a];
  }
  return a;
}

std::vector<std::vector<std::uint32_t>> dominance_frontiers(const Graph& graph, const DominatorTree& tree) {
  std::vector<std::vector<std::uint32_t>> frontiers(graph.size());
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    if (!tree.reachable(node)) continue;
    for (std::uint32_t runner : graph.predecessors(node)) {
      if (!tree.reachable(runner)) continue;
      for (; runner != tree.immediate(node); runner = tree.immediate(runner)) {
        auto& frontier = frontiers[runner];
        if (!frontier.empty() && frontier.back() == node) break;  // the rest of the way was walked before
        frontier.push_back(node);
        if (runner == tree.root()) break;
      }
    }
  }
  return frontiers;
}

DominatorTree dominators(const ControlFlowGraph& cfg) { return {cfg.graph(), 0}; }

namespace {

// The reversed graph with a virtual exit as its last node.
Graph graph_from_exit(const ControlFlowGraph& cfg) {
  const std::uint32_t exit = cfg.size();
  std::vector<std::uint32_t> leaving, all(cfg.size());
  std::iota(all.begin(), all.end(), 0);
  for (std::uint32_t b : all)
    if (cfg.block(b).exit != ExitKind::none) leaving.push_back(b);

  const std::vector<bool> ends = reachable_from(cfg.graph().reversed(), leaving);
  ComponentFinder finder(cfg.graph());
  const auto components = finder.find(all);
  std::vector<std::uint32_t> component_of(cfg.size());
  for (std::uint32_t c = 0; c < components.size(); ++c)
    for (std::uint32_t b : components[c]) component_of[b] = c;
  const auto stays = [&](std::uint32_t b) {
    const auto next = cfg.successors(b);
    return std::all_of(next.begin(), next.end(), [&](std::uint32_t s) { return component_of[s] == component_of[b]; });
  };
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    return cfg.position(a) != cfg.position(b) ? cfg.position(a) < cfg.position(b) : a < b;
  };
  for (const auto& component : components) {
    if (ends[component.front()] || !std::all_of(component.begin(), component.end(), stays)) continue;
    leaving.push_back(*std::min_element(component.begin(), component.end(), earlier));
  }

  std::vector<Graph::Edge> edges;
  for (std::uint32_t b : leaving) edges.emplace_back(exit, b);
  for (std::uint32_t b : all)
    for (std::uint32_t next : cfg.successors(b)) edges.emplace_back(next, b);
  return {cfg.size() + 1, edges};
}

}  // namespace

PostDominators::PostDominators(const ControlFlowGraph& cfg) : tree_(graph_from_exit(cfg), cfg.size()) {}

}  // namespace heddle::ptx::analysis
