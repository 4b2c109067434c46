#include "ptx/analysis/flow/control_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ptx/analysis/random_function.hpp"

namespace heddle::ptx::analysis {
namespace {

using testing::below;
using testing::make_bra;
using testing::make_branch;
using testing::Random;

Function with_labels(std::vector<std::uint32_t> positions) {
  Function function;
  for (std::uint32_t position : positions) function.labels.push_back({"L", position});
  return function;
}

std::vector<std::uint32_t> list(std::span<const std::uint32_t> items) { return {items.begin(), items.end()}; }
using Nodes = std::vector<std::uint32_t>;

TEST(ControlFlow, EmptyBodyIsOneBlockThatReturns) {
  const Function function;
  const ControlFlowGraph cfg(function);
  ASSERT_EQ(cfg.size(), 1u);
  EXPECT_EQ(cfg.block(0).exit, ExitKind::ret);
  EXPECT_TRUE(cfg.block(0).reachable);
  EXPECT_FALSE(cfg.block(0).decides);
}

TEST(ControlFlow, GuardedBranchListsTargetThenFallThrough) {
  Function function = with_labels({2});
  function.body = {make_bra(0, true), make_branch(Opcode::membar, false), make_branch(Opcode::ret, false)};
  const ControlFlowGraph cfg(function);
  ASSERT_EQ(cfg.size(), 3u);
  EXPECT_EQ(list(cfg.successors(0)), (Nodes{2, 1}));
  EXPECT_EQ(cfg.edge_kinds(0)[0], EdgeKind::branch);
  EXPECT_EQ(cfg.edge_kinds(0)[1], EdgeKind::fall_through);
  EXPECT_TRUE(cfg.block(0).decides);
  EXPECT_EQ(list(cfg.predecessors(2)), (Nodes{0, 1}));
  EXPECT_EQ(list(cfg.order()), (Nodes{0, 1, 2}));
}

TEST(ControlFlow, BranchToNextInstructionDecidesNothing) {
  Function function = with_labels({1});
  function.body = {make_bra(0, true), make_branch(Opcode::ret, false)};
  const ControlFlowGraph cfg(function);
  EXPECT_EQ(list(cfg.successors(0)), (Nodes{1}));
  EXPECT_FALSE(cfg.block(0).decides);
}

TEST(ControlFlow, GuardedExitFallsThroughAndLeaves) {
  Function function;
  function.body = {make_branch(Opcode::exit, true), make_branch(Opcode::trap, true), make_branch(Opcode::ret, false),
                   make_branch(Opcode::membar, false)};
  const ControlFlowGraph cfg(function);
  ASSERT_EQ(cfg.size(), 3u);
  EXPECT_EQ(cfg.block(0).exit, ExitKind::exit);
  EXPECT_EQ(list(cfg.successors(0)), (Nodes{1}));
  EXPECT_TRUE(cfg.block(0).decides);
  EXPECT_EQ(cfg.block(1).begin, 1u);  // a guarded trap does not end a block
  EXPECT_EQ(cfg.block(1).end, 3u);
  EXPECT_FALSE(cfg.block(2).reachable);
  EXPECT_EQ(cfg.block(2).exit, ExitKind::ret);  // runs off the end
  EXPECT_EQ(cfg.position(2), no_node);
}

TEST(ControlFlow, BranchToTheEndGetsAnEmptyBlock) {
  Function function = with_labels({2});
  function.body = {make_bra(0, true), make_branch(Opcode::membar, false)};
  const ControlFlowGraph cfg(function);
  ASSERT_EQ(cfg.size(), 3u);
  EXPECT_EQ(cfg.block(2).begin, cfg.block(2).end);
  EXPECT_EQ(cfg.block(2).exit, ExitKind::ret);
  EXPECT_EQ(list(cfg.successors(1)), (Nodes{2}));
  EXPECT_EQ(cfg.block_at(2), 2u);
}

TEST(ControlFlow, CallOfNoReturnEndsTheBlock) {
  Module module;
  module.functions.resize(2);
  module.functions[1].noreturn = true;
  Function& function = module.functions[0];
  Instruction call = make_branch(Opcode::call, false);
  Operand callee;
  callee.kind = OperandKind::symbol;
  callee.symbol = {SymbolRef::Kind::function, 1};
  call.operands = {callee};
  function.body = {call, make_branch(Opcode::ret, false)};
  EXPECT_EQ(ControlFlowGraph(function, &module).block(0).exit, ExitKind::no_return);
  EXPECT_EQ(ControlFlowGraph(function, &module).size(), 2u);
  EXPECT_EQ(ControlFlowGraph(function).size(), 1u);
}

TEST(ControlFlow, NestedLoopsAreContiguousAndHeadersLead) {
  // 0 -> 1 { 2 { 3 } 4 } 5
  Function function = with_labels({1, 2, 5});
  function.body = {make_branch(Opcode::membar, false),
                   make_branch(Opcode::membar, false),
                   make_branch(Opcode::membar, false),
                   make_bra(1, true),
                   make_bra(0, true),
                   make_branch(Opcode::ret, false)};
  const ControlFlowGraph cfg(function);
  ASSERT_EQ(cfg.loops().size(), 2u);
  EXPECT_EQ(cfg.loops()[0].depth, 1u);
  EXPECT_EQ(cfg.loops()[1].depth, 2u);
  EXPECT_EQ(cfg.loops()[1].parent, 0u);
  EXPECT_EQ(cfg.block(cfg.loops()[1].header).begin, 2u);
  EXPECT_FALSE(cfg.loops()[0].irreducible());
  EXPECT_EQ(cfg.loop_of(cfg.block_of(3)), 1u);
  EXPECT_EQ(cfg.loop_of(cfg.block_of(5)), no_node);
}

TEST(ControlFlow, IrreducibleLoopHasTwoEntries) {
  // 0: @p bra 2; 1: bra-in; 2: @p bra 1; 3: ret
  Function function = with_labels({2, 1});
  function.body = {make_bra(0, true), make_branch(Opcode::membar, false), make_bra(1, true),
                   make_branch(Opcode::ret, false)};
  const ControlFlowGraph cfg(function);
  ASSERT_EQ(cfg.loops().size(), 1u);
  EXPECT_TRUE(cfg.loops()[0].irreducible());
  EXPECT_EQ(cfg.loops()[0].entries.size(), 2u);
}

// The definition of a loop nest, by reachability.
bool in_one_cycle(const ControlFlowGraph& cfg, std::uint32_t a, std::uint32_t b) {
  const auto step = [&](std::uint32_t from) { return reachable_from(cfg.graph(), cfg.successors(from)); };
  return step(a)[b] && step(b)[a];
}

TEST(ControlFlow, RandomGraphsKeepTheirPromises) {
  Random random(7);
  for (int round = 0; round < 400; ++round) {
    const std::uint32_t count = 1 + below(random, 14);
    const Function function = testing::random_branches(random, count);
    const ControlFlowGraph cfg(function);
    const auto seen = reachable_from(cfg.graph(), Nodes{0});
    std::set<std::uint32_t> in_order(cfg.order().begin(), cfg.order().end());
    ASSERT_EQ(in_order.size(), cfg.order().size());
    ASSERT_EQ(cfg.order()[0], 0u);
    for (std::uint32_t b = 0; b < cfg.size(); ++b) {
      ASSERT_EQ(seen[b], cfg.block(b).reachable);
      ASSERT_EQ(seen[b], in_order.count(b) == 1);
      for (std::uint32_t next : cfg.successors(b)) {
        const auto before = cfg.predecessors(next);
        ASSERT_NE(std::find(before.begin(), before.end(), b), before.end());
        // Going backwards in the order happens only within a loop, to a header or the entry of an inner loop.
        if (seen[b] && cfg.position(next) <= cfg.position(b)) {
          ASSERT_TRUE(in_one_cycle(cfg, b, next));
        }
      }
      if (!seen[b]) continue;
      const bool cyclic = in_one_cycle(cfg, b, b);
      ASSERT_EQ(cyclic, cfg.loop_of(b) != no_node);
    }
    for (std::uint32_t l = 0; l < cfg.loops().size(); ++l) {
      const Loop& loop = cfg.loops()[l];
      ASSERT_EQ(loop.blocks.front(), loop.header);
      for (std::size_t i = 0; i < loop.blocks.size(); ++i)
        ASSERT_EQ(cfg.position(loop.blocks[i]), cfg.position(loop.header) + i);
      for (std::uint32_t b : loop.blocks) ASSERT_TRUE(in_one_cycle(cfg, loop.header, b));
      ASSERT_FALSE(loop.entries.empty());
      if (loop.parent != no_node) {
        ASSERT_LT(loop.parent, l);
        for (std::uint32_t b : loop.blocks) ASSERT_TRUE(cfg.loop_contains(loop.parent, b));
        ASSERT_EQ(loop.depth, cfg.loops()[loop.parent].depth + 1);
      } else {
        // An outermost loop is a whole strongly connected component.
        for (std::uint32_t b : cfg.order()) ASSERT_EQ(cfg.loop_contains(l, b), in_one_cycle(cfg, loop.header, b));
      }
    }
  }
}

TEST(ControlFlow, DeepGraphsDoNotOverflowTheStack) {
  Function function;
  const std::uint32_t count = 200000;
  function.labels.push_back({"L", 0});
  for (std::uint32_t i = 0; i < count; ++i) function.body.push_back(make_branch(Opcode::ret, true));
  function.body.push_back(make_bra(0, false));
  const ControlFlowGraph cfg(function);
  EXPECT_EQ(cfg.loops().size(), 1u);
  EXPECT_EQ(cfg.order().size(), count + 1);
}

}  // namespace
}  // namespace heddle::ptx::analysis
