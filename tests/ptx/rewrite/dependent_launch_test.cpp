// Kernels that wait for what they come behind before they touch memory: on every path, and not earlier than they must.
#include "ptx/rewrite/dependent_launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/verifier.hpp"
#include "support/places.hpp"
#include "support/ptx_test.hpp"
#include "support/ptxas.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

std::string kernel(const std::string& body, const std::string& header = ".version 7.0\n.target sm_70\n") {
  return header + R"(.address_size 64
.visible .global .u32 seen;
.visible .global .texref picture;
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<4>;
  .reg .b32 %r<9>;
  .reg .f32 %f<9>;
  .reg .b64 %d<9>;
  .shared .align 4 .b8 own[64];
)" + body +
         "}\n";
}

// The opcodes of the rewritten body, and the labels.
std::string shape_of(const std::string& body) {
  std::string why;
  const auto module = ptx::allow_dependent_launch(ptx::parse(kernel(body), "k.ptx"), 0, why);
  if (!module) return why;
  ptx::verify(*module, "k.ptx");
  const ptx::Function& function = module->functions[0];
  std::string text;
  for (std::uint32_t i = 0; i <= function.body.size(); ++i) {
    for (const ptx::Label& label : function.labels)
      if (label.position == i) text += label.name + ": ";
    if (i == function.body.size()) break;
    const ptx::Instruction& inst = function.body[i];
    text += inst.opcode == ptx::Opcode::griddepcontrol
                ? (inst.has(ptx::Modifier::wait) ? "WAIT" : "NEXT")
                : std::string(ptx::name(inst.opcode)) + (inst.has(ptx::Modifier::nc) ? ".nc" : "");
    text += i + 1 < function.body.size() ? " " : "";
  }
  return text;
}

TEST(DependentLaunch, WaitsWhereMemoryIsFirstTouched) {
  EXPECT_EQ(shape_of("mov.u32 %r1, %tid.x; ld.param.u64 %d1, [in]; ld.global.u32 %r2, [%d1]; "
                     "st.global.u32 [%d1], %r1; ret;"),
            "NEXT mov ld WAIT ld st ret");
  EXPECT_EQ(shape_of("mov.u32 %r1, %tid.x; st.shared.u32 [own], %r1; bar.sync 0; ret;"), "NEXT mov st bar WAIT ret");
  EXPECT_EQ(shape_of("mov.u32 %r1, %tid.x;"), "NEXT mov WAIT");
  EXPECT_EQ(shape_of("ld.param.u64 %d1, [in]; ld.global.nc.u32 %r2, [%d1]; ret;"), "NEXT ld WAIT ld ret")
      << "what is read may have been written while the kernel ran";
  EXPECT_EQ(shape_of("ld.param.u64 %d1, [in]; prefetch.global.L1 [%d1]; mov.u32 %r1, 1; ret;"),
            "NEXT ld WAIT prefetch mov ret");
}

TEST(DependentLaunch, WaitsOnEachPath) {
  EXPECT_EQ(shape_of("ld.param.u64 %d1, [in]; setp.eq.u32 %p1, %r1, 0; @%p1 bra other; ld.global.u32 %r2, [%d1]; "
                     "other: mov.u32 %r3, 1; st.global.u32 [%d1], %r3; exit;"),
            "NEXT ld setp bra WAIT ld other: mov WAIT st exit");
  EXPECT_EQ(shape_of("setp.eq.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r3, 1; ret;"), "NEXT setp WAIT ret mov ret");
}

TEST(DependentLaunch, WaitsInFrontOfLoops) {
  EXPECT_EQ(
      shape_of("mov.u32 %r1, 0; ld.param.u64 %d1, [in]; "
               "turn: ld.global.u32 %r2, [%d1]; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra turn; ret;"),
      "NEXT mov WAIT ld turn: ld add setp bra ret");
  EXPECT_EQ(shape_of("mov.u32 %r1, 0; spin: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra spin; ret;"),
            "NEXT mov spin: add setp bra WAIT ret");
  EXPECT_EQ(
      shape_of("turn: ld.global.u32 %r2, [%d1]; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra turn; ret;"),
      "turn: NEXT WAIT ld add setp bra ret");
}

TEST(DependentLaunch, SaysWhatCannotBe) {
  EXPECT_EQ(shape_of("st.global.u32 [seen], %r1; ret;"), "it uses variables of its module");
  EXPECT_EQ(shape_of("ld.param.u64 %d1, [in]; ld.const.u32 %r1, [%d1]; ret;"), "it uses variables of its module");
  EXPECT_EQ(shape_of("ld.param.u64 %d1, [in]; tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1}]; ret;"),
            "it reads textures or surfaces");
  EXPECT_EQ(shape_of("fence.proxy.tensormap::generic.acquire.gpu [%d1], 128; mov.u32 %r1, 1; ret;"),
            "NEXT WAIT fence mov ret")
      << "what it makes visible may not have been written yet";
  std::string why;
  const std::string own = kernel("griddepcontrol.wait; ret;", ".version 7.8\n.target sm_90\n");
  EXPECT_FALSE(ptx::allow_dependent_launch(ptx::parse(own, "k.ptx"), 0, why));
  EXPECT_EQ(why, "it has griddepcontrol of its own");
  EXPECT_FALSE(
      ptx::allow_dependent_launch(ptx::parse(kernel("ret;", ".version 6.0\n.target sm_60\n"), "k.ptx"), 0, why));
  EXPECT_EQ(why, "its PTX is older than sm_70");
}

// Functions of another module have variables, textures and registers of their own.
TEST(DependentLaunch, KernelsThatCallFunctionsHaveNone) {
  const std::string header = ".version 7.0\n.target sm_70\n.address_size 64\n";
  const auto why_not = [&](const std::string& text, std::string_view name) {
    const ptx::Module module = ptx::parse(header + text, "k.ptx");
    ptx::verify(module, "k.ptx");
    std::uint32_t index = 0;
    while (module.functions[index].name != name) ++index;
    std::string why = "it has one";
    static_cast<void>(ptx::allow_dependent_launch(module, index, why));
    return why;
  };
  const std::string counts = R"(
.visible .global .u32 seen;
.func count(.reg .u32 %n)
{
  .reg .pred %p;
  .reg .u32 %left;
  red.global.add.u32 [seen], 1;
  setp.eq.u32 %p, %n, 0;
  @%p ret;
  sub.u32 %left, %n, 1;
  call count, (%left);
  ret;
}
.func (.reg .u32 %y) twice(.reg .u32 %x) { add.u32 %y, %x, %x; ret; }
)";
  EXPECT_EQ(why_not(counts + ".visible .entry k(.param .u32 n) { .reg .u32 %n; ld.param.u32 %n, [n]; call count, (%n); "
                             "ret; }",
                    "k"),
            "it calls functions that are no part of its body");
  EXPECT_EQ(why_not(counts + ".visible .entry k(.param .u64 f) { .reg .u64 %f; ld.param.u64 %f, [f]; "
                             "prototype: .callprototype _ (); call %f, (), prototype; ret; }",
                    "k"),
            "it calls functions that are no part of its body");
  EXPECT_EQ(why_not(counts + ".visible .entry k(.param .u64 p) { .reg .u64 %p, %f; ld.param.u64 %p, [p]; "
                             "mov.u64 %f, twice; st.global.u64 [%p], %f; ret; }",
                    "k"),
            "it calls functions that are no part of its body");
  EXPECT_EQ(why_not(counts + ".visible .entry k(.param .u64 p) { .reg .u64 %p; .reg .u32 %r; ld.param.u64 %p, [p]; "
                             "ld.global.u32 %r, [%p]; call (%r), twice, (%r); st.global.u32 [%p], %r; ret; }",
                    "k"),
            "it has one");
}

TEST(DependentLaunch, VersionAndTargetAreRaisedAsFarAsNeeded) {
  std::string why;
  const auto rewritten = [&](const std::string& header) {
    return ptx::print(*ptx::allow_dependent_launch(ptx::parse(kernel("ret;", header), "k.ptx"), 0, why));
  };
  EXPECT_THAT(rewritten(".version 7.0\n.target sm_75\n"), HasSubstr(".version 7.8\n.target sm_90\n"));
  EXPECT_THAT(rewritten(".version 8.3\n.target sm_90a\n"), HasSubstr(".version 8.3\n.target sm_90a\n"));
}

// Whether some path touches memory of others, or ends, without having waited: all of them are walked.
bool goes_wrong(const ptx::Module& module, const ptx::Function& function) {
  const ptx::analysis::ControlFlowGraph cfg(function, &module);
  std::set<std::pair<std::uint32_t, bool>> seen;
  std::vector<std::pair<std::uint32_t, bool>> open{{0, false}};
  while (!open.empty()) {
    auto [block, waited] = open.back();
    open.pop_back();
    if (!seen.insert({block, waited}).second) continue;
    for (std::uint32_t i = cfg.block(block).begin; i < cfg.block(block).end; ++i) {
      const ptx::Instruction& inst = function.body[i];
      if (inst.opcode == ptx::Opcode::griddepcontrol && inst.has(ptx::Modifier::wait)) waited = true;
      bool others = inst.opcode == ptx::Opcode::call;
      ptx::analysis::for_each_memory_effect(inst, [&](const ptx::analysis::MemoryEffect& effect) {
        const ptx::Operand& address = inst.operands[effect.operand];
        const bool is_generic = effect.space == ptx::Space::generic;
        const ptx::Space space = is_generic ? ptx::analysis::space_of(module, function, inst, address) : effect.space;
        others = others || space == ptx::Space::global || space == ptx::Space::constant || space == ptx::Space::generic;
      });
      if (others && !waited) return true;
    }
    if (cfg.block(block).exit != ptx::analysis::ExitKind::none && !waited) return true;
    for (const std::uint32_t next : cfg.successors(block)) open.push_back({next, waited});
  }
  return false;
}

TEST(DependentLaunch, KernelsOfTheTestDataWaitOnEveryPath) {
  unsigned rewritten = 0, refused = 0;
  std::set<std::string> seen;
  for (const PtxCase& c : read_folder(tests::test_data() / "data" / "run")) {
    if (!seen.insert(c.file.string() + c.kernel).second) continue;
    SCOPED_TRACE(c.file.string() + ": " + c.kernel);
    ptx::Module module = ptx::parse(c.source, c.file.filename().string());
    for (std::string& target : module.targets)
      if (target.starts_with("sm_") && std::stoi(target.substr(3)) < 70) target = "sm_70";
    std::uint32_t index = 0;
    while (module.functions[index].name != c.kernel) ++index;
    std::string why;
    const auto made = ptx::allow_dependent_launch(module, index, why);
    if (!made) {
      EXPECT_FALSE(why.empty());
      ++refused;
      continue;
    }
    ptx::verify(*made, c.file.filename().string());
    const ptx::Function* const function = made->find(c.kernel);
    ASSERT_NE(function, nullptr);
    EXPECT_FALSE(goes_wrong(*made, *function)) << ptx::print(*made);
    EXPECT_EQ(function->parameters.size(), module.functions[index].parameters.size());
    ++rewritten;
  }
  std::printf("%u kernels rewritten, %u not\n", rewritten, refused);
  EXPECT_GT(rewritten, 700u);
}

// Any block may go on at any other: loops with several entries, loops around the begin, ways that meet anywhere.
TEST(DependentLaunch, AnyControlFlowWaitsOnEveryPath) {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  unsigned early = 0;
  for (int round = 0; round < 2000; ++round) {
    const unsigned blocks = 2 + below(9);
    std::string body;
    for (unsigned b = 0; b < blocks; ++b) {
      body += "b" + std::to_string(b) + ": add.u32 %r1, %r1, 1;\n";
      if (below(4) == 0) body += "ld.global.u32 %r2, [%d1];\n";
      if (below(4) == 0) body += "st.u32 [%d1], %r1;\n";
      if (below(8) == 0) body += "@%p1 exit;\n";
      if (below(2) == 0) body += "@%p1 bra b" + std::to_string(below(blocks)) + ";\n";
      if (below(4) == 0) body += "bra b" + std::to_string(below(blocks)) + ";\n";
    }
    body += below(2) == 0 ? "ret;\n" : "";
    std::string why;
    const auto made = ptx::allow_dependent_launch(ptx::parse(kernel(body), "k.ptx"), 0, why);
    ASSERT_TRUE(made) << why;
    ptx::verify(*made, "k.ptx");
    ASSERT_FALSE(goes_wrong(*made, made->functions[0])) << ptx::print(*made);
    const auto& first = made->functions[0].body[1];
    early += first.opcode != ptx::Opcode::griddepcontrol ? 1 : 0;
  }
  EXPECT_GT(early, 500u) << "most wait at their begin, which would always be right";
}

// One of so many kernels, as each takes ptxas a while.
constexpr unsigned one_assembled_of = 40;

TEST(DependentLaunch, PtxasTakesThem) {
  const auto ptxas = find_ptxas();
  if (!ptxas) GTEST_SKIP() << "ptxas is not installed: nobody but our own verifier has looked at the rewritten kernels";
  unsigned number = 0, assembled = 0;
  for (const PtxCase& c : read_folder(tests::test_data() / "data" / "run")) {
    if (number++ % one_assembled_of != 0) continue;
    const ptx::Module module = ptx::parse(lift_target(c.source), c.file.filename().string());
    std::uint32_t index = 0;
    while (module.functions[index].name != c.kernel) ++index;
    std::string why;
    const auto made = ptx::allow_dependent_launch(module, index, why);
    if (!made) continue;
    const PtxasVerdict verdict = run_ptxas(*ptxas, ptx::print(*made));
    EXPECT_TRUE(verdict.accepted) << c.file << " " << c.kernel << ": " << verdict.messages.substr(0, 2000);
    ++assembled;
  }
  EXPECT_GT(assembled, 20u);
}

}  // namespace
}  // namespace heddle::test
