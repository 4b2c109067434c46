// How large functions become when calls are replaced by what they call.
#include "ptx/rewrite/inline_calls.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ptx/parser.hpp"

namespace heddle::ptx {
namespace {

// Each function calls the one before twice, and the kernel the last one.
Module doubling(unsigned functions) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  text += ".func (.reg .b32 r) f0(.reg .b32 x) { add.s32 r, x, 1; ret; }\n";
  for (unsigned i = 1; i < functions; ++i)
    text += fmt::format(
        ".func (.reg .b32 r) f{0}(.reg .b32 x) {{ .reg .b32 t; call (t), f{1}, (x); call (r), f{1}, (t); ret; }}\n", i,
        i - 1);
  return parse(
      text + fmt::format(".entry k() {{ .reg .b32 a; mov.u32 a, %tid.x; call (a), f{}, (a); ret; }}\n", functions - 1),
      "doubling.ptx");
}

const Function& kernel(const Module& module) {
  for (const Function& function : module.functions)
    if (function.is_entry) return function;
  throw std::logic_error("no kernel");
}

TEST(InlineCalls, FewFunctionsLeaveNoCall) {
  const Module module = doubling(8);
  EXPECT_TRUE(remaining_callees(module, inline_calls(module, kernel(module))).empty());
}

// 2^30 instructions without a bound. What stays a call is a function, of a small size too.
TEST(InlineCalls, FunctionsThatCallEachOtherTwiceStaySmall) {
  const Module module = doubling(30);
  const Function inlined = inline_calls(module, kernel(module));
  const InlineOptions usual;
  std::size_t instructions = 0;
  for (const Function& function : module.functions) instructions += function.body.size();
  EXPECT_LE(inlined.body.size(), usual.least + usual.growth * instructions);
  const std::vector<std::uint32_t> callees = remaining_callees(module, inlined);
  EXPECT_FALSE(callees.empty());
  for (const std::uint32_t callee : callees)
    EXPECT_LE(inline_calls(module, module.functions[callee], inline_into_callee).body.size(),
              inline_into_callee.least + inline_into_callee.growth * instructions);
}

}  // namespace
}  // namespace heddle::ptx
