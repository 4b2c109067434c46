// Thread frontiers and branch interweaving: figures 2 and 4 of Simultaneous Branch and Warp Interweaving, exactly, and
// the tables of contexts.
#include "device/sim/policies/frontier/frontier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>

#include "device/machine/stepped_kernel.hpp"
#include "device/sim/policies/pdom_stack.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"

namespace heddle::device::sim {
namespace {

using machine::SteppedKernel;

// One warp of 64 threads, of which some are there; each slot of a cycle executes one instruction.
class Interwoven {
 public:
  Interwoven(const std::string& body, unsigned threads, const std::string& options)
      : kernel_(".reg .u32 %m, %t, %i, %n; .reg .pred %p, %q;\nmov.u32 %t, %tid.x;\n" + body, threads),
        timing_(kernel_.kernel().program(), {}),
        options_(options),
        lanes_(make_identity_lanes()) {
    DivergenceContext context{*kernel_.block, timing_, *lanes_, options_, counts, now_};
    for (std::uint32_t i = 0; i < kernel_.block->warps.size(); ++i) context.slots.push_back(i);
    context.wide = true;
    policy_ = std::make_unique<Frontier>(context);
  }
  // Executes a cycle; returns false when all threads have exited. Only what stands behind the label A counts.
  bool cycle() {
    ++now_;
    const bool second = !policy_->suspended(0) && policy_->contexts(0).hot(1).mask != 0;
    if (policy_->contexts(0).hot(0).mask == 0) return false;
    const bool counted = policy_->contexts(0).hot(0).place.pc >= begin();
    if (counted) ++slots;
    if (counted && second) ++together;
    for (unsigned slot = 0; slot < (second ? 2u : 1u); ++slot) issue(slot);
    policy_->sort(0);
    check_disjoint();
    return true;
  }
  void run() {
    while (cycle()) {
    }
  }
  Frontier& policy() { return *policy_; }
  SteppedKernel& kernel() { return kernel_; }
  // The label at or before a place.
  std::string label(const Place& place) const {
    std::string name = "-";
    for (const auto& one : place.code->function->labels)
      if (one.position <= place.pc) name = one.name;
    return name.substr(0, 1);
  }

  unsigned slots = 0, instructions = 0, together = 0;
  PolicyCounts counts;

 private:
  std::uint32_t begin() const {
    for (const auto& label : kernel_.kernel().ptx().labels)
      if (label.name == "A") return label.position;
    return 0;
  }
  void issue(unsigned slot) {
    if (policy_->contexts(0).hot(slot).place.pc >= begin()) ++instructions;
    for (unsigned half = 0; half < Frontier::halves; ++half) {
      IssueGroup& group = policy_->group(0, slot, half);
      if (!group.threads || group.mask == 0) continue;
      kernel_.core->step(*kernel_.block, *group.threads, group.mask, kernel_.effects);
      group.not_before = now_ + 1;
      policy_->retire(group, kernel_.effects);
    }
  }
  void check_disjoint() const {
    WideMask all = 0;
    policy_->contexts(0).for_each([&](const SplitContext& one) {
      EXPECT_EQ(all & one.mask, 0u);
      all |= one.mask;
    });
    WideMask live = 0;
    for (const machine::Thread& thread : kernel_.block->threads)
      if (thread.state != machine::ThreadState::exited) live |= WideMask{1} << thread.linear;
    EXPECT_EQ(all, live);
  }

  mutable SteppedKernel kernel_;
  ProgramTiming timing_;
  PolicyOptions options_;
  std::unique_ptr<LaneMap> lanes_;
  Cycle now_ = 0;
  std::unique_ptr<Frontier> policy_;
};

// Figure 2: threads 0 and 3 execute 2, 3 and 4, threads 1 and 2 execute 5.
constexpr const char* figure_2 = R"(
  add.u32 %i, %t, 1;
  and.b32 %i, %i, 2;
  setp.ne.u32 %p, %i, 0;
A:
  @%p bra E;
  add.u32 %n, %t, 2;
  add.u32 %n, %t, 3;
  bra.uni J;
E:
  add.u32 %n, %t, 5;
J:
  ret;)";

TEST(Interweaving, SlotsOfFigure2) {
  SteppedKernel kernel(".reg .u32 %m, %t, %i, %n; .reg .pred %p, %q;\nmov.u32 %t, %tid.x;\n" + std::string(figure_2),
                       4);
  ProgramTiming timing(kernel.kernel().program(), {});
  PdomStack stack(kernel.block->warps[0].lanes, 0xf, timing);
  unsigned steps = 0;
  for (; stack.current(); ++steps) {
    kernel.step(stack.current()->mask);
    stack.retire(kernel.effects.branched, kernel.effects.exited);
  }
  EXPECT_EQ(steps - 4, 6u) << "the stack";  // four instructions before A
  Interwoven greedy(figure_2, 4, "constraints=off");
  greedy.run();
  EXPECT_EQ(greedy.slots, 5u);
  EXPECT_EQ(greedy.instructions, 7u);
  Interwoven constrained(figure_2, 4, "constraints=on");
  constrained.run();
  EXPECT_EQ(constrained.slots, 5u);
  EXPECT_EQ(constrained.instructions, 6u);
}

// Figure 4: A leads to B or C, C to D or E, both to F; B and F to G.
constexpr const char* figure_4 = R"(
A:
  setp.lt.u32 %p, %t, 4;
  @%p bra C;
B:
  add.u32 %n, %t, 1;
  add.u32 %n, %t, 1;
  add.u32 %n, %t, 1;
  add.u32 %n, %t, 1;
  bra.uni G;
C:
  setp.lt.u32 %q, %t, 2;
  @%q bra E;
D:
  add.u32 %n, %t, 1;
  bra.uni F;
E:
  add.u32 %n, %t, 1;
  add.u32 %n, %t, 1;
  add.u32 %n, %t, 1;
F:
  add.u32 %n, %t, 1;
G:
  ret;)";

FrontierLayout layout_of(const std::string& body, std::vector<std::uint32_t>& labels) {
  SteppedKernel kernel(".reg .u32 %m, %t, %i, %n; .reg .pred %p, %q;\n" + body, 4);
  for (const auto& label : kernel.kernel().ptx().labels) labels.push_back(label.position);
  return frontier_layout(kernel.kernel().ptx(), kernel.kernel().program().ptx());
}

TEST(Interweaving, JoinsOfFigure4KnowWhereTheirRegionsBegin) {
  std::vector<std::uint32_t> at;  // of A to G
  const FrontierLayout layout = layout_of(figure_4, at);
  ASSERT_EQ(at.size(), 7u);
  const auto end_of = [&](unsigned label) { return layout.ops[at[label + 1] - 1].order; };
  const std::uint32_t end_of_a = end_of(0), end_of_c = end_of(2);
  EXPECT_EQ(layout.ops[at[5]].region, end_of_c);
  EXPECT_EQ(layout.ops[at[5]].dominator, end_of_c);
  EXPECT_EQ(layout.ops[at[6]].region, end_of_a);
  EXPECT_EQ(layout.ops[at[6]].dominator, end_of_a);
  EXPECT_EQ(layout.ops[at[1]].region, FrontierLayout::no_divide);
}

TEST(Interweaving, TheSecondaryWaitsAtAJoinOnlyForItsRegion) {
  Interwoven nest(figure_4, 4, "constraints=on");  // all go to C: D and E are the two sides, F their join
  bool waited = false;
  do {
    if (!nest.policy().suspended(0)) continue;
    waited = true;
    EXPECT_EQ(nest.label(nest.policy().contexts(0).hot(1).place), "F");
    const std::string primary = nest.label(nest.policy().contexts(0).hot(0).place);
    EXPECT_TRUE(primary == "D" || primary == "E") << primary;
  } while (nest.cycle());
  EXPECT_TRUE(waited);

  // Threads in B are no reason to wait at F. At G all wait for them.
  Interwoven two(figure_4, 8, "constraints=on,layout=asis");
  bool beside = false;
  do {
    const SplitContext& primary = two.policy().contexts(0).hot(0);
    const SplitContext& secondary = two.policy().contexts(0).hot(1);
    if (primary.mask == 0 || secondary.mask == 0) continue;
    if (two.label(primary.place) == "B" && two.label(secondary.place) == "F") {
      beside = true;
      EXPECT_FALSE(two.policy().suspended(0));
    }
    const bool at_end = two.label(primary.place) == "B" && two.label(secondary.place) == "G";
    EXPECT_TRUE(!at_end || two.policy().suspended(0));
  } while (two.cycle());
  (void)beside;
}

// A loop that is tested at its bottom: the mark before the loop covers it, the end of the dominator, which is the
// loop's body, does not.
TEST(Interweaving, LoopsAreRegionsByMarksButNotByDominators) {
  const std::string loop = R"(
  mov.u32 %i, 0;
B:
  add.u32 %i, %i, 1;
  add.u32 %n, %i, 1;
  setp.lt.u32 %p, %i, %t;
  @%p bra B;
C:
  ret;)";
  for (const bool by_region : {true, false}) {
    Interwoven run(loop, 4, std::string("constraints=on,divide=") + (by_region ? "region" : "dominator"));
    unsigned waits = 0;
    while (run.cycle()) waits += run.policy().suspended(0) ? 1 : 0;
    EXPECT_EQ(waits != 0, by_region);
  }
}

// Sixteen ways through brx.idx: contexts move through the cold table, and none is lost.
TEST(Interweaving, ManySplitsUseTheColdTable) {
  std::string body = "A:\n  rem.u32 %i, %t, 12;\n  ts: .branchtargets ";
  for (int i = 0; i < 12; ++i) body += (i != 0 ? ", L" : "L") + std::to_string(i);
  body += ";\n  brx.idx %i, ts;\n";
  for (int i = 0; i < 12; ++i) {
    body += "L" + std::to_string(i) + ":\n";
    for (int j = 0; j <= i % 5; ++j) body += "  add.u32 %n, %t, 1;\n";
    body += "  bra.uni Z;\n";
  }
  body += "Z:\n  ret;";
  for (const char* options : {"constraints=off", "constraints=off,sorter=0", "constraints=on,exchange=off,cold=2"}) {
    Interwoven run(body, 48, options);
    run.run();
    EXPECT_GT(run.counts[PolicyEvent::cold], 0u) << options;
    EXPECT_EQ(run.policy().cold(), 0u) << options;  // every entry is free again
    const std::string_view given = options;
    EXPECT_EQ(run.counts[PolicyEvent::cold_full] != 0, given.ends_with("cold=2")) << options;
    EXPECT_EQ(run.counts[PolicyEvent::degraded] != 0, !given.ends_with("sorter=0")) << options;
  }
}

// Every choice of three small places and every set of valid contexts: sorted, merged, compact.
TEST(Interweaving, TheSorterOfThreeContexts) {
  for (unsigned valid = 0; valid < 8; ++valid) {
    for (unsigned places = 0; places < 64; ++places) {
      PolicyCounts counts;
      ColdTable cold(8, 64, counts);
      WarpContexts contexts(cold, counts, true);
      std::vector<SplitContext> list;
      WideMask all = 0;
      std::vector<std::uint64_t> distinct;
      for (unsigned i = 0; i < 3; ++i) {
        if (!((valid >> i) & 1)) continue;
        const std::uint64_t order = (places >> (2 * i)) & 3;
        list.push_back({order, WideMask{1} << i, {}, 0, 0});
        all |= WideMask{1} << i;
        distinct.push_back(order);
      }
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
      contexts.replace(0, list, 1);
      WideMask seen = 0;
      std::vector<std::uint64_t> orders;
      contexts.for_each([&](const SplitContext& one) {
        EXPECT_EQ(seen & one.mask, 0u);
        seen |= one.mask;
        orders.push_back(one.order);
      });
      EXPECT_EQ(seen, all);
      EXPECT_EQ(orders, distinct);
      EXPECT_EQ(cold.used(), distinct.size() > 2 ? 1u : 0u);
    }
  }
}

TEST(LaneMaps, RowsOfTable1) {
  const LaneShape four{4, 4};
  const auto rows = [&](const std::unique_ptr<LaneMap>& map) {
    std::string text;
    for (std::uint32_t warp = 0; warp < 4; ++warp) {
      for (unsigned thread = 0; thread < 4; ++thread) text += std::to_string(map->lane(thread, warp, four));
      text += warp < 3 ? " " : "";
    }
    return text;
  };
  EXPECT_EQ(rows(make_identity_lanes()), "0123 0123 0123 0123");
  EXPECT_EQ(rows(make_xor_lanes()), "0123 1032 2301 3210");
  EXPECT_EQ(rows(make_xor_reversed_lanes()), "0123 2301 1032 3210");
  EXPECT_EQ(rows(make_mirror_odd_lanes()), "0123 3210 0123 3210");
  EXPECT_EQ(rows(make_mirror_half_lanes()), "0123 0123 3210 3210");
  EXPECT_EQ(rows(make_swizzled_lanes()), "0123 1032 0123 1032");
}

// Whether every block that can be reached leads to the function's end.
bool all_end(const ptx::analysis::ControlFlowGraph& cfg) {
  std::vector<bool> ends(cfg.size());
  for (bool more = true; more;) {
    more = false;
    for (const std::uint32_t block : cfg.order()) {
      const auto next = cfg.successors(block);
      const bool end = cfg.block(block).exit != ptx::analysis::ExitKind::none ||
                       std::any_of(next.begin(), next.end(), [&](std::uint32_t one) { return ends[one]; });
      if (!end || ends[block]) continue;
      ends[block] = more = true;
    }
  }
  return std::all_of(cfg.order().begin(), cfg.order().end(), [&](std::uint32_t block) { return ends[block]; });
}

// A random function of some blocks.
std::string random_flow(std::mt19937& random) {
  const unsigned blocks = 3 + random() % 8;
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .pred %p;\n";
  for (unsigned b = 0; b < blocks; ++b) {
    text += "L" + std::to_string(b) + ":\n";
    const unsigned kind = random() % 4;
    if (kind != 0) text += "@%p bra L" + std::to_string(random() % blocks) + ";\n";
    if (kind == 3) text += "bra.uni L" + std::to_string(random() % blocks) + ";\n";
  }
  return text + "ret;\n}\n";
}

// Blocks and their order in a layout.
class LaidOut {
 public:
  LaidOut(const ptx::Function& function, const ptx::Module& module)
      : cfg(function, &module), layout_(frontier_layout(function, module)) {}
  std::uint32_t order(std::uint32_t block) const { return layout_.ops[cfg.block(block).begin].order; }
  // The blocks that can be reached on ways forward without those of `known`, which become known.
  std::vector<std::uint32_t> ahead(std::uint32_t from, std::vector<std::uint32_t>& known) const {
    std::vector<std::uint32_t> found, todo{from};
    while (!todo.empty()) {
      const std::uint32_t one = todo.back();
      todo.pop_back();
      for (const std::uint32_t next : cfg.successors(one)) {
        if (order(next) <= order(one) || std::find(known.begin(), known.end(), next) != known.end()) continue;
        known.push_back(next);
        found.push_back(next);
        todo.push_back(next);
      }
    }
    return found;
  }
  bool is_contiguous(const ptx::analysis::Loop& loop) const {
    std::uint32_t first = ~0u, last = 0, count = 0;
    for (const std::uint32_t block : loop.blocks) {
      for (std::uint32_t i = cfg.block(block).begin; i < cfg.block(block).end; ++i, ++count) {
        first = std::min(first, layout_.ops[i].order);
        last = std::max(last, layout_.ops[i].order);
      }
    }
    return last - first + 1 == count;
  }
  bool is_reducible() const {
    return std::none_of(cfg.loops().begin(), cfg.loops().end(), [](const auto& l) { return l.irreducible(); });
  }
  const ptx::analysis::ControlFlowGraph cfg;

 private:
  const FrontierLayout layout_;
};

// Random functions: a join comes after the blocks between it and the branch, but for those that also come after the
// join; loops are in one piece. Jumps from one loop into the middle of another can make both impossible: of such flow
// one in twenty may be otherwise. Irreducible functions are accepted, without a promise.
TEST(Frontier, LayoutsOfRandomFlow) {
  std::mt19937 random(7);
  unsigned joins = 0, early = 0, loops = 0, scattered = 0;
  for (int round = 0; round < 1500; ++round) {
    const ptx::Module module = ptx::parse(random_flow(random), "random");
    const LaidOut laid(module.functions[0], module);
    const ptx::analysis::PostDominators post(laid.cfg);
    if (!laid.is_reducible() || !all_end(laid.cfg)) continue;
    loops += static_cast<unsigned>(laid.cfg.loops().size());
    for (const auto& loop : laid.cfg.loops()) scattered += laid.is_contiguous(loop) ? 0 : 1;
    for (const std::uint32_t block : laid.cfg.order()) {
      const std::uint32_t join = post.immediate(block);
      if (laid.cfg.successors(block).size() < 2 || join >= laid.cfg.size()) continue;
      if (laid.order(join) <= laid.order(block)) continue;  // a loop's header, to which its end leads back
      std::vector<std::uint32_t> known{join};
      laid.ahead(join, known);
      for (const std::uint32_t between : laid.ahead(block, known)) early += laid.order(between) > laid.order(join);
      ++joins;
    }
  }
  EXPECT_GT(joins, 500u);
  EXPECT_LT(early * 20, joins);
  EXPECT_LT(scattered * 20, loops);
}

}  // namespace
}  // namespace heddle::device::sim
