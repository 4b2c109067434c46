// A directed graph as two compressed adjacency lists, and the orders that analyses walk it in. Basic blocks are its
// nodes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace heddle::ptx::analysis {

inline constexpr std::uint32_t no_node = 0xffffffffu;

class Graph {
 public:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;  // from, to

  Graph() = default;
  // Successors and predecessors keep the order in which `edges` lists them.
  Graph(std::uint32_t nodes, std::span<const Edge> edges);

  std::uint32_t size() const { return nodes_; }
  std::span<const std::uint32_t> successors(std::uint32_t node) const {
    return slice(successor_first_, successors_, node);
  }
  std::span<const std::uint32_t> predecessors(std::uint32_t node) const {
    return slice(predecessor_first_, predecessors_, node);
  }
  Graph reversed() const;

 private:
  static std::span<const std::uint32_t> slice(const std::vector<std::uint32_t>& first,
                                              const std::vector<std::uint32_t>& items, std::uint32_t node) {
    return std::span(items).subspan(first[node], first[node + 1] - first[node]);
  }
  std::uint32_t nodes_ = 0;
  std::vector<std::uint32_t> successor_first_{0}, successors_, predecessor_first_{0}, predecessors_;
};

// Nodes reachable from `root` in reverse post-order; among successors, earlier ones come first.
std::vector<std::uint32_t> reverse_post_order(const Graph& graph, std::uint32_t root);

// Finds strongly connected components by Tarjan's algorithm, without recursion since graphs may be deep. One finder
// serves many searches of parts of one graph, each in time of the part.
class ComponentFinder {
 public:
  explicit ComponentFinder(const Graph& graph);
  // Components of the nodes that a search from `roots` meets and for which member[node] holds (an empty `member`: all),
  // in topological order; within a component the node that the search met first comes first.
  std::vector<std::vector<std::uint32_t>> find(std::span<const std::uint32_t> roots,
                                               const std::vector<bool>& member = {});

 private:
  void search(std::uint32_t root, const std::vector<bool>& member);
  void push(std::uint32_t node);
  void close(std::uint32_t node);

  struct Visit {
    std::uint32_t node = 0;
    std::uint32_t remaining = 0;  // successors not yet looked at; they are taken from the last to the first
  };
  const Graph& graph_;
  std::vector<std::uint32_t> index_, low_, open_;
  std::vector<bool> is_open_;
  std::vector<Visit> stack_;
  std::vector<std::vector<std::uint32_t>> components_;
  std::uint32_t counter_ = 0;
};

// True for each node from which (or to which, on graph.reversed()) one of `roots` leads; never passes through a node
// for which blocked[node] holds. An empty `blocked` blocks nothing.
std::vector<bool> reachable_from(const Graph& graph, std::span<const std::uint32_t> roots,
                                 const std::vector<bool>& blocked = {});

// The same for many searches of one graph, each in time of what it finds.
class Reachability {
 public:
  explicit Reachability(const Graph& graph) : graph_(graph), seen_(graph.size(), 0) {}
  // Nodes that the roots lead to, the roots included; ascending.
  std::vector<std::uint32_t> from(std::span<const std::uint32_t> roots);

 private:
  const Graph& graph_;
  std::vector<std::uint32_t> seen_;  // number of the last search that met the node
  std::uint32_t search_ = 0;
};

}  // namespace heddle::ptx::analysis
