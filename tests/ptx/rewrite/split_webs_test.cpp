// Registers renamed, one for each web of definitions and uses.
#include "ptx/rewrite/split_webs.hpp"

#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace heddle::ptx {
namespace {

Module split(const std::string& registers, const std::string& body) {
  Module module = parse(
      ".version 8.6\n.target sm_100a\n.address_size 64\n.global .texref tx;\n.global .samplerref sm;\n"
      ".visible .entry k() {\n" +
          registers + body + "ret;\n}\n",
      "test.ptx");
  module.functions[0] = split_webs(module.functions[0]);
  return module;
}

bool contains(const Module& module, const std::string& text) { return print(module).find(text) != std::string::npos; }

TEST(SplitWebs, RegistersOfOneWebKeepOneName) {
  const Module module =
      split(".reg .b32 %r<3>;\n", "mov.u32 %r1, 1;\nadd.u32 %r2, %r1, %r1;\nmov.u32 %r1, 2;\nadd.u32 %r2, %r1, %r2;\n");
  EXPECT_EQ(module.functions[0].registers.size(), 4u);
  EXPECT_TRUE(contains(module, "add.u32 %r2_w1, %r1_w0, %r1_w0;")) << print(module);
  EXPECT_TRUE(contains(module, "add.u32 %r2_w3, %r1_w2, %r2_w1;")) << print(module);
}

// Coordinates are a vector within the brackets of an address.
TEST(SplitWebs, CoordinatesAreRenamed) {
  const Module module = split(".reg .b32 %r<4>;\n.reg .f32 %f<5>;\n",
                              "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r1, %r2;\n"
                              "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tx, {%r1, %r2}];\n");
  EXPECT_TRUE(contains(module, "[tx, {%r1_w2, %r2_w1}]")) << print(module);
}

TEST(SplitWebs, CoordinatesOfTensorCopiesAreRenamed) {
  const Module module = split(".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n",
                              "mov.u64 %rd1, 0;\nmov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\nmov.u64 %rd2, 8;\n"
                              "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], "
                              "[%rd2, {%r3, %r2, %r1}], [%rd1];\n");
  EXPECT_TRUE(contains(module, "[%rd1_w0], [%rd2_w4, {%r3_w3, %r2_w2, %r1_w1}], [%rd1_w0]")) << print(module);
}

}  // namespace
}  // namespace heddle::ptx
