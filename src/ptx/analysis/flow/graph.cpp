#include "ptx/analysis/flow/graph.hpp"

#include <algorithm>

namespace heddle::ptx::analysis {
namespace {

// Counting sort of edges by one end.
template <class Key, class Value>
void compress(std::uint32_t nodes, std::span<const Graph::Edge> edges, Key key, Value value,
              std::vector<std::uint32_t>& first, std::vector<std::uint32_t>& items) {
  first.assign(nodes + 1, 0);
  for (const Graph::Edge& edge : edges) ++first[key(edge) + 1];
  for (std::uint32_t node = 0; node < nodes; ++node) first[node + 1] += first[node];
  items.resize(edges.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const Graph::Edge& edge : edges) items[next[key(edge)]++] = value(edge);
}

struct Visit {
  std::uint32_t node = 0;
  std::uint32_t remaining = 0;  // successors not yet looked at; they are taken from the last to the first
};

}  // namespace

Graph::Graph(std::uint32_t nodes, std::span<const Edge> edges) : nodes_(nodes) {
  const auto from = [](const Edge& edge) { return edge.first; };
  const auto to = [](const Edge& edge) { return edge.second; };
  compress(nodes, edges, from, to, successor_first_, successors_);
  compress(nodes, edges, to, from, predecessor_first_, predecessors_);
}

Graph Graph::reversed() const {
  Graph result;
  result.nodes_ = nodes_;
  result.successor_first_ = predecessor_first_;
  result.successors_ = predecessors_;
  result.predecessor_first_ = successor_first_;
  result.predecessors_ = successors_;
  return result;
}

std::vector<std::uint32_t> reverse_post_order(const Graph& graph, std::uint32_t root) {
  std::vector<std::uint32_t> order;
  if (graph.size() == 0) return order;
  std::vector<bool> seen(graph.size(), false);
  std::vector<Visit> stack;
  const auto push = [&](std::uint32_t node) {
    seen[node] = true;
    stack.push_back({node, static_cast<std::uint32_t>(graph.successors(node).size())});
  };
  push(root);
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.remaining == 0) {
      order.push_back(top.node);
      stack.pop_back();
      continue;
    }
    const std::uint32_t next = graph.successors(top.node)[--top.remaining];
    if (!seen[next]) push(next);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

ComponentFinder::ComponentFinder(const Graph& graph)
    : graph_(graph), index_(graph.size(), no_node), low_(graph.size(), no_node), is_open_(graph.size(), false) {}

void ComponentFinder::push(std::uint32_t node) {
  index_[node] = low_[node] = counter_++;
  open_.push_back(node);
  is_open_[node] = true;
  stack_.push_back({node, static_cast<std::uint32_t>(graph_.successors(node).size())});
}

void ComponentFinder::close(std::uint32_t node) {
  const auto begin = std::find(open_.rbegin(), open_.rend(), node).base() - 1;
  components_.emplace_back(begin, open_.end());
  for (auto it = begin; it != open_.end(); ++it) is_open_[*it] = false;
  open_.erase(begin, open_.end());
}

void ComponentFinder::search(std::uint32_t root, const std::vector<bool>& member) {
  push(root);
  while (!stack_.empty()) {
    Visit& top = stack_.back();
    const std::uint32_t node = top.node;
    if (top.remaining == 0) {
      stack_.pop_back();
      if (!stack_.empty()) low_[stack_.back().node] = std::min(low_[stack_.back().node], low_[node]);
      if (low_[node] == index_[node]) close(node);
      continue;
    }
    const std::uint32_t next = graph_.successors(node)[--top.remaining];
    if (!member.empty() && !member[next]) continue;
    if (index_[next] == no_node) {
      push(next);
    } else if (is_open_[next]) {
      low_[node] = std::min(low_[node], index_[next]);
    }
  }
}

std::vector<std::vector<std::uint32_t>> ComponentFinder::find(std::span<const std::uint32_t> roots,
                                                              const std::vector<bool>& member) {
  counter_ = 0;
  // A later root must come out before what earlier roots reach, hence backwards: the list is reversed at the end.
  for (std::size_t r = roots.size(); r-- > 0;) {
    if ((member.empty() || member[roots[r]]) && index_[roots[r]] == no_node) search(roots[r], member);
  }
  std::reverse(components_.begin(), components_.end());
  for (const auto& component : components_)
    for (std::uint32_t node : component) index_[node] = low_[node] = no_node;
  return std::exchange(components_, {});
}

std::vector<bool> reachable_from(const Graph& graph, std::span<const std::uint32_t> roots,
                                 const std::vector<bool>& blocked) {
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::uint32_t> work;
  const auto visit = [&](std::uint32_t node) {
    if (seen[node] || (!blocked.empty() && blocked[node])) return;
    seen[node] = true;
    work.push_back(node);
  };
  for (std::uint32_t root : roots) visit(root);
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    for (std::uint32_t next : graph.successors(node)) visit(next);
  }
  return seen;
}

std::vector<std::uint32_t> Reachability::from(std::span<const std::uint32_t> roots) {
  ++search_;
  std::vector<std::uint32_t> found;
  const auto visit = [&](std::uint32_t node) {
    if (std::exchange(seen_[node], search_) != search_) found.push_back(node);
  };
  for (std::uint32_t root : roots) visit(root);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::uint32_t next : graph_.successors(found[i])) visit(next);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace heddle::ptx::analysis
