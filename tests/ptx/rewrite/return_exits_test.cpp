// Exits in functions as results of these: what becomes of a module, and that kernels leave the same in memory.
#include "ptx/rewrite/return_exits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "device/interp/interp.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/inline_calls.hpp"
#include "support/places.hpp"
#include "support/ptx_test.hpp"
#include "support/short_patience.hpp"

namespace heddle::ptx {
namespace {

using test::PtxCase;

Module parse_text(const std::string& text) {
  return parse(".version 8.0\n.target sm_80\n.address_size 64\n" + text, "exits.ptx");
}

const Function& named(const Module& module, const std::string& name) {
  return *std::find_if(module.functions.begin(), module.functions.end(),
                       [&](const Function& function) { return function.name == name; });
}

bool has_exit(const Function& function) {
  return std::any_of(function.body.begin(), function.body.end(),
                     [](const Instruction& inst) { return inst.opcode == Opcode::exit; });
}

bool needs_rewrite(const Module& module, const std::string& kernel) {
  return exits_in_callees(module, inline_calls(module, named(module, kernel)));
}

// The kernels call a function that exits, one that calls itself, and one that does both.
constexpr const char* three_functions =
    ".func plain(.reg .b32 n) { .reg .pred p; setp.eq.u32 p, n, 0; @p exit; ret; }\n"
    ".func recursive(.reg .b32 n) { .reg .pred p; setp.ne.u32 p, n, 0; @p call recursive, (n); ret; }\n"
    ".func both(.reg .b32 n) { .reg .pred p; setp.eq.u32 p, n, 0; @p exit; call both, (n); ret; }\n"
    ".entry inlined() { .reg .b32 n; call plain, (n); ret; }\n"
    ".entry returning() { .reg .b32 n; call recursive, (n); ret; }\n"
    ".entry leaving() { .reg .b32 n; call both, (n); ret; }\n";

TEST(ReturnExits, AreFoundInFunctionsThatStay) {
  const Module module = parse_text(three_functions);
  EXPECT_FALSE(needs_rewrite(module, "inlined"));
  EXPECT_FALSE(needs_rewrite(module, "returning"));
  EXPECT_TRUE(needs_rewrite(module, "leaving"));
}

TEST(ReturnExits, ChangeOnlyWhatMayExit) {
  const Module before = parse_text(three_functions);
  Module after = before;
  return_exits(after);
  EXPECT_TRUE(equal(named(after, "recursive"), named(before, "recursive")));
  EXPECT_TRUE(equal(named(after, "returning"), named(before, "returning")));
  for (const char* name : {"plain", "both"}) {
    EXPECT_EQ(named(after, name).returns.size(), 1u) << name;
    EXPECT_FALSE(has_exit(named(after, name))) << name;
  }
  EXPECT_TRUE(has_exit(named(after, "inlined")));
  EXPECT_TRUE(has_exit(named(after, "leaving")));
}

TEST(ReturnExits, LeaveModulesWithoutThemAlone) {
  const Module before =
      parse_text(".func f(.reg .b32 n) { call f, (n); ret; }\n.entry k() { .reg .b32 n; call f, (n); exit; }\n");
  Module after = before;
  return_exits(after);
  EXPECT_TRUE(equal(after, before));
}

// All that one call may reach have the same results, declared or defined; others keep theirs.
TEST(ReturnExits, FollowPointers) {
  Module module = parse_text(
      ".func stays();\n.func leaves() { exit; }\n.func other() { ret; }\n.func stays() { ret; }\n"
      ".global .u64 table[2] = {stays, leaves};\n"
      ".func through() { .reg .b64 f; ld.global.u64 f, [table]; P: .callprototype _ () .noreturn; call f, P; }\n"
      ".entry k() { call other; call through; ret; }\n");
  return_exits(module);
  for (const Function& function : module.functions)
    EXPECT_EQ(function.returns.size(), function.name == "other" || function.is_entry ? 0u : 1u) << function.name;
  const Table& prototype = named(module, "through").tables[0];
  EXPECT_EQ(prototype.returns.size(), 1u);
  EXPECT_FALSE(prototype.noreturn);
  EXPECT_NO_THROW(parse(print(module), "printed.ptx")) << print(module);
}

// Inserted instructions stand where those stood that they belong to.
TEST(ReturnExits, KeepPlaces) {
  Module module = parse_text(".func f()\n{\nexit;\n}\n.entry k()\n{\ncall f;\nret;\n}\n");
  return_exits(module);
  for (const Instruction& inst : named(module, "f").body) EXPECT_EQ(inst.where.line, 6u);
  const std::vector<Instruction>& kernel = named(module, "k").body;
  for (std::size_t i = 0; i + 1 < kernel.size(); ++i) EXPECT_EQ(kernel[i].where.line, 10u);
}

class ReturnExitsRun : public testing::TestWithParam<const char*> {};

// Rewritten as the CPU device does, with the kernel's calls inlined, and whole, as printed.
TEST_P(ReturnExitsRun, KernelsLeaveTheSame) {
  unsigned rewritten = 0;
  for (PtxCase& c : test::read_cases(tests::test_data() / "data" / "run" / "control" / GetParam())) {
    const Module source = parse(c.source, GetParam());
    if (!needs_rewrite(source, c.kernel)) continue;
    ++rewritten;
    for (const bool inlines : {false, true}) {
      Module module = source;
      if (inlines)
        for (Function& function : module.functions)
          if (function.name == c.kernel) function = inline_calls(source, function);
      return_exits(module);
      for (const Function& function : module.functions) EXPECT_TRUE(function.is_entry || !has_exit(function));
      c.parsed = std::make_shared<const Module>(parse(print(module), "rewritten.ptx"));
      const test::CaseResult result = test::run_case(c, [](const test::TestDeviceOptions& options) {
        device::interp::InterpOptions chosen;
        chosen.poison = options.poison;
        chosen.deadlock_timeout = test::short_patience;
        return device::interp::make_interp_device(chosen);
      });
      EXPECT_EQ(test::check_case(c, result), "") << c.name() << (inlines ? ", inlined" : "");
    }
  }
  EXPECT_GT(rewritten, 0u);
}

INSTANTIATE_TEST_SUITE_P(Files, ReturnExitsRun, testing::Values("exits_in_functions.ptx", "calls_registers.ptx"));

}  // namespace
}  // namespace heddle::ptx
