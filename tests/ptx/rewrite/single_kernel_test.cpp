// Kernels as modules of their own: what goes with them, what becomes of their variables, and which modules they cannot
// leave. That they compute the same is block_ranges_run_test.cpp's matter.
#include "ptx/rewrite/single_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/verifier.hpp"

namespace heddle::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string header() { return ".version 8.0\n.target sm_80\n.address_size 64\n"; }

const char* const source = R"(
.global .align 4 .u32 unused;
.visible .global .align 4 .u32 counter[4];
.visible .const .align 4 .f32 weights[3] = {1.0, 2.0, 3.0};
.extern .shared .align 16 .b8 room[];
.func helper(.param .u64 at) {
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [counter+8];
  ret;
}
.func other() { ret; }
.visible .entry first(.param .u64 out) {
  .reg .b64 %d<4>;
  .reg .b32 %r<4>;
  .reg .f32 %f<2>;
  mov.u64 %d1, counter+4;
  atom.global.add.u32 %r1, [%d1], 1;
  ld.const.f32 %f1, [weights+4];
  mov.u64 %d2, room;
  { .param .u64 p; st.param.u64 [p], %d1; call helper, (p); }
  ret;
}
.visible .entry second() { call other; ret; }
)";

Module taken(const std::string& text, const char* kernel) {
  const Module module = parse(header() + text, "test.ptx");
  std::uint32_t place = 0;
  const auto index = static_cast<std::uint32_t>(module.find(kernel) - module.functions.data());
  Module alone = take_function(module, index, place);
  EXPECT_EQ(alone.functions[place].name, kernel);
  return alone;
}

TEST(SingleKernel, TakesWhatItNeeds) {
  const std::string first = print(taken(source, "first")), second = print(taken(source, "second"));
  EXPECT_THAT(first, testing::AllOf(HasSubstr("counter"), HasSubstr("weights"), HasSubstr("room"), HasSubstr("helper"),
                                    Not(HasSubstr("unused")), Not(HasSubstr("other")), Not(HasSubstr("second"))));
  EXPECT_THAT(second, testing::AllOf(HasSubstr("other"), Not(HasSubstr("counter")), Not(HasSubstr("helper"))));
}

TEST(SingleKernel, GlobalVariablesComeFromATable) {
  Module alone = taken(source, "first");
  const SharedVariables shared = share_variables(alone);
  verify(alone, "alone");
  EXPECT_THAT(shared.global, ElementsAre("counter"));
  EXPECT_THAT(shared.constant, ElementsAre("weights"));
  const std::string text = print(alone);
  EXPECT_THAT(text, Not(HasSubstr("counter")));
  EXPECT_THAT(text, HasSubstr("weights[3];"));  // without its values
  EXPECT_THAT(text, HasSubstr("ld.const.u64 %heddle_0, [" + shared.table + "];"));
  EXPECT_THAT(text, HasSubstr("add.s64 %heddle_1, %heddle_0, 4;"));
  EXPECT_THAT(text, HasSubstr("ld.global.u32 %r1, [%heddle_0+8];"));  // of the helper
  EXPECT_THAT(text, HasSubstr("mov.u64 %d2, room;"));
  EXPECT_NO_THROW(verify(parse(text, "again"), "again"));
}

TEST(SingleKernel, ModulesWithoutVariablesGetNoTable) {
  Module alone = taken(source, "second");
  const Module before = alone;
  const SharedVariables shared = share_variables(alone);
  EXPECT_THAT(shared.table, IsEmpty());
  EXPECT_TRUE(equal(alone, before));
}

TEST(SingleKernel, SomeModulesCannotBeTakenApart) {
  const auto refusal = [](const std::string& text) {
    return find_single_kernel_refusal(parse(header() + text, "test.ptx")).value_or("none");
  };
  EXPECT_EQ(refusal(source), "none");
  EXPECT_THAT(refusal(".func f() { ret; }\n.global .u64 table[1] = {f};\n"), HasSubstr("'table' holds the address"));
  EXPECT_THAT(refusal(".func f() { ret; }\n.entry k() { .reg .b64 %d<2>; mov.u64 %d1, f; ret; }\n"),
              HasSubstr("takes the address of a function"));
  EXPECT_THAT(
      refusal(".const .u32 c;\n.entry k() { .reg .b64 %d<3>; mov.u64 %d1, c; cvta.const.u64 %d2, %d1; ret; }\n"),
      HasSubstr("generic"));
  EXPECT_THAT(refusal(".entry k() { .global .u32 own; ret; }\n"), HasSubstr("'own' is a variable of 'k' itself"));
  EXPECT_THAT(refusal(".global .texref picture;\n"), HasSubstr("'picture' is a texture"));
  EXPECT_THAT(refusal(".extern .global .u32 elsewhere;\n"), HasSubstr("'elsewhere' is not defined"));
  EXPECT_THAT(refusal(".const .b8 all[65536];\n"), HasSubstr("no room"));
}

}  // namespace
}  // namespace heddle::ptx
