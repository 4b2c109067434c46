// What is known of the uses of loaded values.
#include "device/cpu/codegen/value_uses.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "ptx/parser.hpp"

namespace heddle::device::cpu {
namespace {

// The load of %r9 is instruction 3; the test that %p1 holds says whether the value is there.
constexpr const char* frame = R"ptx(
.version 8.3
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u32 n)
{{
  .reg .pred %p<8>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<8>;
  .shared .align 4 .b8 own[64];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  setp.gt.u32 %p1, %r1, 7;
  ld.shared.u32 %r9, [own];
{}
  st.global.u32 [%rd1], %r2;
  ret;
}}
)ptx";

struct Found {
  bool any = false, certain = false;
};

Found uses(const std::string& code) {
  const ptx::Module module = ptx::parse(fmt::format(fmt::runtime(frame), code), "test.ptx");
  const ptx::Function& function = module.functions[0];
  const ptx::analysis::ControlFlowGraph cfg(function, &module);
  const ptx::analysis::PostDominators post(cfg);
  const ValueUses found(function, cfg, post);
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const ptx::Instruction& inst = function.body[i];
    if (inst.opcode != ptx::Opcode::ld || inst.d.space != ptx::Space::shared) continue;
    const std::uint32_t reg = inst.operands[0].index;
    return {found.any(reg), found.certain(i, reg)};
  }
  ADD_FAILURE() << "no load";
  return {};
}

void expect(const char* code, bool any, bool certain) {
  const Found found = uses(code);
  EXPECT_EQ(found.any, any) << code;
  EXPECT_EQ(found.certain, certain) << code;
}

TEST(ValueUses, Stores) {
  expect("st.global.u32 [%rd1+4], %r9;", false, false);
  expect("mov.u32 %r2, %r9;", true, false);
  expect("cvt.u64.u32 %rd2, %r9; st.global.u64 [%rd1+8], %rd2;", true, false);
}

TEST(ValueUses, ArithmeticThatFollowsForCertain) {
  expect("add.u32 %r2, %r9, 1;", true, true);
  expect("shl.b32 %r3, %r9, 2; add.u32 %r2, %r3, 1;", true, true);
  expect("setp.eq.u32 %p2, %r9, 0; @%p2 bra end; mov.u32 %r2, 1;\nend:", true, true);
  expect("@%p1 bra end; mov.u32 %r2, 1;\nend:\n  add.u32 %r2, %r9, 1;", true, true);
  expect("cvt.u64.u32 %rd2, %r9; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;", true, true);
}

TEST(ValueUses, ArithmeticBehindATest) {
  expect("mov.u32 %r2, 0; @%p1 bra end; add.u32 %r2, %r9, 1;\nend:", true, false);
  expect("mov.u32 %r3, %r9; mov.u32 %r2, 0; @%p1 bra end; add.u32 %r2, %r3, 1;\nend:", true, false);
}

// What compilers make of that: both are computed, and one is chosen.
TEST(ValueUses, ArithmeticAheadOfAChoice) {
  expect("min.u32 %r3, %r9, %r1; selp.b32 %r2, %r3, %r1, %p1;", true, false);
  expect("setp.eq.u32 %p2, %r9, 0; and.pred %p3, %p1, %p2; selp.b32 %r2, 1, 0, %p3;", true, false);
  expect("min.u32 %r3, %r9, %r1; selp.b32 %r2, %r3, %r1, %p1; add.u32 %r4, %r3, 1; st.global.u32 [%rd1+4], %r4;", true,
         true);
  expect("setp.eq.u32 %p2, %r9, 0; selp.b32 %r2, 1, 0, %p2;", true, true);
}

}  // namespace
}  // namespace heddle::device::cpu
