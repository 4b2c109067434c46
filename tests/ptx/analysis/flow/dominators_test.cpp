#include "ptx/analysis/flow/dominators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ptx/analysis/random_function.hpp"

namespace heddle::ptx::analysis {
namespace {

using testing::below;
using testing::Random;
using Nodes = std::vector<std::uint32_t>;

// a dominates b: without a, the root does not reach b.
bool dominates_by_definition(const Graph& graph, std::uint32_t root, std::uint32_t a, std::uint32_t b) {
  if (!reachable_from(graph, Nodes{root})[b] || !reachable_from(graph, Nodes{root})[a]) return false;
  std::vector<bool> blocked(graph.size(), false);
  blocked[a] = true;
  return a == b || !reachable_from(graph, Nodes{root}, blocked)[b];
}

Graph random_graph(Random& random, std::uint32_t nodes) {
  std::vector<Graph::Edge> edges;
  for (std::uint32_t n = below(random, nodes * 3 + 1); n > 0; --n)
    edges.emplace_back(below(random, nodes), below(random, nodes));
  return {nodes, edges};
}

TEST(Dominators, AgreeWithTheDefinitionOnRandomGraphs) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Graph graph = random_graph(random, 1 + below(random, 10));
    const DominatorTree tree(graph, 0);
    for (std::uint32_t a = 0; a < graph.size(); ++a) {
      for (std::uint32_t b = 0; b < graph.size(); ++b) {
        const bool expected = dominates_by_definition(graph, 0, a, b);
        ASSERT_EQ(tree.dominates(a, b), expected) << a << " " << b;
        // The immediate dominator is a strict one that all others dominate.
        if (tree.immediate(b) == no_node || !expected || a == b) continue;
        ASSERT_TRUE(tree.dominates(tree.immediate(b), b));
        ASSERT_NE(tree.immediate(b), b);
        ASSERT_TRUE(tree.dominates(a, tree.immediate(b)));
      }
    }
  }
}

TEST(Dominators, FrontiersAgreeWithTheDefinition) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    const Graph graph = random_graph(random, 1 + below(random, 10));
    const DominatorTree tree(graph, 0);
    const auto frontiers = dominance_frontiers(graph, tree);
    for (std::uint32_t a = 0; a < graph.size(); ++a) {
      for (std::uint32_t b = 0; b < graph.size(); ++b) {
        bool expected = false;
        for (std::uint32_t before : graph.predecessors(b))
          expected |= tree.dominates(a, before) && tree.reachable(b) && !(tree.dominates(a, b) && a != b);
        const bool found = std::find(frontiers[a].begin(), frontiers[a].end(), b) != frontiers[a].end();
        ASSERT_EQ(found, expected) << a << " " << b;
      }
      ASSERT_EQ(std::set<std::uint32_t>(frontiers[a].begin(), frontiers[a].end()).size(), frontiers[a].size());
    }
  }
}

TEST(Dominators, EveryReachableBlockHasAPostDominator) {
  Random random(11);
  for (int round = 0; round < 400; ++round) {
    const Function function = testing::random_branches(random, 1 + below(random, 12));
    const ControlFlowGraph cfg(function);
    const PostDominators post(cfg);
    for (std::uint32_t b : cfg.order()) {
      const std::uint32_t above = post.immediate(b);
      ASSERT_NE(above, no_node);
      if (above == post.virtual_exit()) continue;
      // No way from b leaves the function without passing the post-dominator.
      std::vector<bool> blocked(cfg.size(), false);
      blocked[above] = true;
      const auto seen = reachable_from(cfg.graph(), Nodes{b}, blocked);
      for (std::uint32_t other = 0; other < cfg.size(); ++other)
        ASSERT_FALSE(seen[other] && cfg.block(other).exit != ExitKind::none) << b << " " << above;
    }
  }
}

TEST(Dominators, InfiniteLoopLeavesFromItsHeader) {
  // 0: @p bra 3; 1: membar; 2: bra 1; 3: ret
  Function function;
  function.labels = {{"A", 3}, {"B", 1}};
  function.body = {testing::make_bra(0, true), testing::make_branch(Opcode::membar, false), testing::make_bra(1, false),
                   testing::make_branch(Opcode::ret, false)};
  const ControlFlowGraph cfg(function);
  const PostDominators post(cfg);
  EXPECT_EQ(post.immediate(0), post.virtual_exit());
  EXPECT_EQ(post.immediate(cfg.block_of(1)), post.virtual_exit());
}

TEST(Dominators, CommonAncestor) {
  const std::vector<Graph::Edge> edges{{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {0, 5}};
  const DominatorTree tree(Graph(6, edges), 0);
  EXPECT_EQ(tree.common(2, 4), 1u);
  EXPECT_EQ(tree.common(4, 5), 0u);
  EXPECT_EQ(tree.common(3, 3), 3u);
}

}  // namespace
}  // namespace heddle::ptx::analysis
