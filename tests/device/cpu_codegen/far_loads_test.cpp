// Which loads are fetched ahead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "device/cpu/codegen/function_facts.hpp"
#include "ptx/parser.hpp"
#include "ptx/rewrite/split_webs.hpp"

namespace heddle::device::cpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A loop over %r10 from the global thread number on, as compilers write it. {0}: computes the step %r9, {1}: the body.
constexpr const char* frame = R"ptx(
.version 8.3
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 in, .param .u32 n)
{{
  .reg .pred %p<8>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<32>;
  .shared .align 4 .b8 own[1024];
  ld.param.u64 %rd1, [in];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r10, %r3, %r2, %r4;
  mov.u32 %r5, %nctaid.x;
{0}
again:
{1}
  add.s32 %r10, %r10, %r9;
  setp.lt.s32 %p1, %r10, %r1;
  @%p1 bra again;
  st.global.u32 [%rd1], %r20;
  ret;
}}
)ptx";

// Which of the function's loads, but for those of parameters, by their order.
std::vector<unsigned> far_loads(const std::string& step, const std::string& body) {
  const ptx::Module module = ptx::parse(fmt::format(fmt::runtime(frame), step, body), "test.ptx");
  FactsOptions options;
  options.block = {256, 1, 1};
  const FunctionFacts facts(module, ptx::split_webs(module.functions[0]), options);
  std::vector<unsigned> found;
  unsigned number = 0;
  for (std::size_t i = 0; i < facts.function.body.size(); ++i) {
    const ptx::Instruction& inst = facts.function.body[i];
    if (inst.opcode != ptx::Opcode::ld || inst.d.space == ptx::Space::param) continue;
    if (facts.far_loads[i]) found.push_back(number);
    ++number;
  }
  return found;
}

constexpr const char* element = "mul.wide.s32 %rd2, %r10, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r20, [%rd3];";

TEST(FarLoads, OfLoopsThatStepByTheGrid) {
  EXPECT_THAT(far_loads("mul.lo.s32 %r9, %r2, %r5;", element), ElementsAre(0));
  EXPECT_THAT(far_loads("shl.b32 %r9, %r5, 8;", element), ElementsAre(0)) << "the block's size is known";
  EXPECT_THAT(far_loads("mul.lo.s32 %r6, %r2, %r5; shl.b32 %r9, %r6, 2;", element), ElementsAre(0)) << "unrolled";
  EXPECT_THAT(far_loads("mul.lo.s32 %r9, %r2, %r5;", std::string(element) + "ld.global.u32 %r20, [%rd3+64];"),
              ElementsAre(0, 1));
}

TEST(FarLoads, NoOthers) {
  EXPECT_THAT(far_loads("mov.u32 %r9, %r2;", element), IsEmpty()) << "by the block";
  EXPECT_THAT(far_loads("mov.u32 %r9, 4;", element), IsEmpty());
  EXPECT_THAT(far_loads("mul.lo.s32 %r9, %r2, %r5;", "ld.global.u32 %r20, [%rd1];"), IsEmpty()) << "the same place";
  EXPECT_THAT(far_loads("mul.lo.s32 %r9, %r2, %r5;",
                        "and.b32 %r11, %r10, 255; shl.b32 %r12, %r11, 2; mov.u32 %r13, own; add.u32 %r14, %r13, %r12;"
                        "ld.shared.u32 %r20, [%r14];"),
              IsEmpty());
  EXPECT_THAT(far_loads("mul.lo.s32 %r9, %r2, %r5;",
                        "mov.u32 %r15, 0;\ninner:\n  mul.wide.s32 %rd2, %r15, 4; add.s64 %rd3, %rd1, %rd2;\n"
                        "  ld.global.u32 %r20, [%rd3]; add.s32 %r15, %r15, 1; setp.lt.s32 %p2, %r15, %r1;\n"
                        "  @%p2 bra inner;"),
              IsEmpty())
      << "an inner loop steps by 1";
}

}  // namespace
}  // namespace heddle::device::cpu
