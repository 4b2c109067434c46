// How the work of analyses grows with the function, in counts.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "ptx/analysis/flow/divergence.hpp"
#include "ptx/analysis/lanes/uniformity.hpp"
#include "ptx/parser.hpp"

namespace heddle::ptx::analysis {
namespace {

std::string kernel(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .pred %p<4>;\n"
         ".reg .b32 %r<8>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"
         "ld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, %r1;\n" +
         body + "st.global.u32 [%rd1], %r2;\nret;\n}\n";
}

std::string if_else(int count) {
  std::string body;
  for (int i = 0; i < count; ++i)
    body += fmt::format(
        "setp.gt.s32 %p1, %r2, {0};\n@%p1 bra T{0};\nadd.u32 %r2, %r2, 1;\nbra J{0};\nT{0}:\nxor.b32 %r2, %r2, "
        "3;\nJ{0}:\n",
        i);
  return kernel(body);
}

std::string tangle(int count) {
  std::string body;
  for (int i = 0; i < count; ++i)
    body += fmt::format("L{0}:\nadd.u32 %r2, %r2, {0};\nsetp.eq.s32 %p1, %r2, {1};\n@%p1 bra L{2};\n", i, 3 * i,
                        i * 7919 % count);
  return kernel(body);
}

// Of all branches of the kernel.
struct Spread {
  std::size_t work = 0, blocks = 0;
  bool given_up = false;
};
Spread spread(const std::string& text) {
  const Module module = parse(text, "test.ptx");
  const ControlFlowGraph cfg(module.functions[0], &module);
  const PostDominators post(cfg);
  Divergence divergence(cfg, post);
  KnownLoops known;
  Spread result;
  result.blocks = cfg.size();
  for (std::uint32_t b : cfg.order())
    if (cfg.block(b).decides) result.given_up |= divergence.of_branch(b, known).given_up;
  result.work = divergence.work();
  return result;
}

TEST(Growth, BranchesInARowAreLookedAtOnce) {
  const Spread some = spread(if_else(100)), more = spread(if_else(200));
  EXPECT_LE(more.work, 2 * some.work + 10);
  EXPECT_FALSE(more.given_up);
}

TEST(Growth, WorkForTangledBranchesHasALimit) {
  const Spread tangled = spread(tangle(1500));
  EXPECT_TRUE(tangled.given_up);
  // One look at a block may begin below the limit and end above it.
  EXPECT_LE(tangled.work, Divergence::most_work_per_block * tangled.blocks + 2 * tangled.blocks);
}

// What is not known is taken for the worst: values that branches could make differ do.
TEST(Growth, BeyondTheLimitValuesVary) {
  const Module module = parse(tangle(1500), "test.ptx");
  const Function& function = module.functions[0];
  const ControlFlowGraph cfg(function, &module);
  const PostDominators post(cfg);
  const RegisterTable table(function);
  const Webs webs(cfg, dominators(cfg), function, table);
  UniformityOptions options;
  options.lanes = LaneModel::rows(32);
  const Uniformity uniformity(module, function, cfg, post, webs, options);
  ASSERT_TRUE(uniformity.given_up());
  for (std::uint32_t b : cfg.order()) EXPECT_TRUE(uniformity.partial(b));
  std::size_t checked = 0;
  for (std::uint32_t web = 0; web < webs.size(); ++web) {
    if (webs.web(web).definitions < 2) continue;
    EXPECT_FALSE(uniformity.uniform(web));
    ++checked;
  }
  EXPECT_GT(checked, 0u);
  // What is computed once, outside of loops, is known all the same.
  EXPECT_TRUE(uniformity.uniform(webs.def(0, 0)));
}

}  // namespace
}  // namespace heddle::ptx::analysis
