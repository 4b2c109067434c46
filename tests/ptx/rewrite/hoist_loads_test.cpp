// Loads before what does not need them.
#include "ptx/rewrite/hoist_loads.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace heddle::ptx {
namespace {

std::string hoisted(const std::string& body, unsigned in_flight = 16) {
  const Module module = parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
      ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 %rd<16>; .shared .align 4 .b8 s[64];\n" +
          body + "ret;\n}\n",
      "test.ptx");
  return print(hoist_loads(module, in_flight));
}
// The text has these in this order.
testing::AssertionResult in_order(const std::string& text, const std::vector<std::string>& lines) {
  std::size_t at = 0;
  for (const std::string& line : lines) {
    at = text.find(line, at);
    if (at == text.npos) return testing::AssertionFailure() << "'" << line << "' is not in its place in\n" << text;
  }
  return testing::AssertionSuccess();
}

TEST(HoistLoads, LoadsComeBeforeTheFirstUseOfOne) {
  EXPECT_TRUE(in_order(hoisted("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\n"
                               "add.u64 %rd2, %rd1, 4;\nld.global.f32 %f3, [%rd2];\nadd.f32 %f4, %f3, %f2;\n"),
                       {"%f1, [%rd1]", "add.u64", "%f3, [%rd2]", "add.f32 %f2", "add.f32 %f4"}));
}

TEST(HoistLoads, OnlySoManyAreInFlight) {
  std::string body;
  for (int i = 0; i < 6; ++i)
    body += "ld.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\nadd.f32 %f10, %f10, %f" +
            std::to_string(i) + ";\n";
  EXPECT_TRUE(in_order(hoisted(body, 2), {"%f0, [%rd1]", "%f1, [%rd1+4]", "%f10, %f10, %f0;", "%f2, [%rd1+8]",
                                          "%f10, %f10, %f1;", "%f3, [%rd1+12]"}));
}

TEST(HoistLoads, RegistersThatAreUsedAgainKeepTheirValues) {
  EXPECT_TRUE(in_order(hoisted("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nld.global.f32 %f1, [%rd2];\n"
                               "add.f32 %f3, %f1, %f2;\n"),
                       {"%f1, [%rd1]", "add.f32 %f2", "%f1, [%rd2]", "add.f32 %f3"}));
  EXPECT_TRUE(in_order(hoisted("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nadd.u64 %rd1, %rd1, 4;\n"
                               "ld.global.f32 %f3, [%rd1];\n"),
                       {"%f1, [%rd1]", "add.u64 %rd1, %rd1, 4", "%f3, [%rd1]", "add.f32 %f2"}));
}

TEST(HoistLoads, AGuardIsAUse) {
  EXPECT_TRUE(in_order(hoisted("setp.eq.u32 %p1, %r1, %r2;\nadd.u32 %r3, %r1, %r2;\n@%p1 ld.global.f32 %f1, [%rd1];\n"),
                       {"setp.eq", "@%p1 ld.global", "add.u32 %r3"}));
}

TEST(HoistLoads, StoresThatMayMeetALoadStayBeforeIt) {
  EXPECT_TRUE(
      in_order(hoisted("st.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd2];\n"), {"st.global", "ld.global"}));
  EXPECT_TRUE(in_order(hoisted("st.f32 [%rd1], %f1;\nld.shared.f32 %f2, [%r2];\n"), {"st.f32", "ld.shared"}));
  EXPECT_TRUE(in_order(hoisted("st.shared.f32 [%r1], %f1;\nld.global.f32 %f2, [%rd2];\n"), {"ld.global", "st.shared"}));
  EXPECT_TRUE(
      in_order(hoisted("ld.global.f32 %f2, [%rd2];\nst.global.f32 [%rd1], %f1;\n"), {"ld.global", "st.global"}));
}

TEST(HoistLoads, NothingPassesWhatOrders) {
  for (const char* fixed :
       {"bar.sync 0;", "membar.gl;", "mov.u32 %r1, %clock;", "ld.acquire.gpu.global.u32 %r1, [%rd1];",
        "atom.acquire.gpu.global.add.u32 %r1, [%rd1], 1;", "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;",
        "add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r5, %r6;"}) {
    const std::string text =
        hoisted(std::string("add.f32 %f3, %f4, %f5;\n") + fixed + "\nld.global.f32 %f2, [%rd2];\n");
    const std::string first = std::string(fixed).substr(0, std::string(fixed).find(' '));
    EXPECT_TRUE(in_order(text, {"add.f32 %f3", first, "ld.global.f32"}));
  }
}

TEST(HoistLoads, AccessesKeepTheirOrderWithVolatileOnes) {
  EXPECT_TRUE(in_order(hoisted("ld.volatile.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, %r1;\n"
                               "ld.volatile.global.u32 %r3, [%rd1];\nld.shared.u32 %r4, [%r5];\n"),
                       {"%r1, [%rd1]", "%r3, [%rd1]", "%r4, [%r5]", "add.u32 %r2"}));
}

TEST(HoistLoads, LoadsPassAtomicsOfAnotherSpace) {
  const std::string atomic = "atom.shared.add.u32 %r1, [%r2], 1;\n";
  EXPECT_TRUE(in_order(hoisted(atomic + "ld.global.f32 %f2, [%rd2];\n"), {"ld.global", "atom.shared"}));
  EXPECT_TRUE(in_order(hoisted(atomic + "ld.shared.f32 %f2, [%r3];\n"), {"atom.shared", "ld.shared"}));
}

TEST(HoistLoads, BlocksKeepTheirInstructionsAndLabels) {
  EXPECT_TRUE(in_order(hoisted("add.f32 %f3, %f4, %f5;\n@%p1 bra there;\nld.global.f32 %f2, [%rd2];\nthere:\n"
                               "add.f32 %f6, %f3, %f2;\nld.global.f32 %f7, [%rd3];\n"),
                       {"add.f32 %f3", "bra", "%f2, [%rd2]", "there:", "%f7, [%rd3]", "add.f32 %f6"}));
}

}  // namespace
}  // namespace heddle::ptx
