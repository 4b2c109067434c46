#include "ptx/analysis/inspect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ptx/parser.hpp"

namespace heddle::ptx::analysis {
namespace {

using ::testing::HasSubstr;

constexpr const char* text = R"(.version 8.0
.target sm_80
.address_size 64
.global .u32 counter;
.visible .entry k(.param .u32 n, .param .u64 out, .param .align 8 .b8 s[24]) .maxntid 128, 1, 1
{
  .reg .b32 %r<3>;
  .reg .b64 %d<3>;
  .reg .pred %p;
  .shared .align 4 .b8 buffer[64];
  ld.param.u64 %d0, [out];
  ld.param.u64 %d1, [s+8];
  ld.global.u32 %r0, [%d1];
  st.shared.u32 [buffer], %r0;
  bar.sync 0;
  atom.global.add.u32 %r1, [counter], 1;
  st.global.u32 [%d0], %r1;
  st.global.u64 [%d0+8], %d1;
  ret;
}
.visible .entry empty() { ret; }
)";

TEST(Inspect, TellsEverythingOfAKernel) {
  const Module module = parse(text, "k.ptx");
  const Inspection inspection = inspect(module);
  ASSERT_EQ(inspection.kernels.size(), 2u);
  const InspectedKernel& k = inspection.kernels[0];
  EXPECT_EQ(k.name, "k");
  EXPECT_EQ(k.parameters[1].offset, 8u);
  EXPECT_EQ(k.parameters[1].access, AccessMode::write);
  EXPECT_TRUE(k.parameters[1].is_pointer);
  EXPECT_FALSE(k.parameters[0].is_pointer);
  EXPECT_EQ(k.parameters[2].offset, 16u);
  EXPECT_EQ(k.parameters[2].access, AccessMode::unknown);
  EXPECT_THAT(k.parameters[2].reason, HasSubstr("st.global.u64 in line 18 of k"));
  EXPECT_EQ(k.resources.static_shared, 64u);
  EXPECT_EQ(k.resources.maximum_block[0], 128u);
  EXPECT_EQ(k.blocks.order, BlockOrder::ordered);
  EXPECT_THAT(k.dependence, HasSubstr("atom.global.add.u32 in line 16 of k"));
  EXPECT_TRUE(inspection.kernels[1].blocks.independent());
  EXPECT_EQ(inspection.kernels[1].dependence, "");
}

// One instruction for each kind of access, also where there may be more; that of a called function is the one there.
TEST(Inspect, HasAWitnessForEachAccess) {
  const Module module = parse(R"(.version 8.0
.target sm_80
.address_size 64
.func store(.param .u64 p) {
  .reg .b64 %d;
  ld.param.u64 %d, [p];
  st.global.u32 [%d], 1;
  ret;
}
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {
  .reg .b64 %d<4>; .reg .b32 %r<2>;
  ld.param.u64 %d0, [a];
  ld.param.u64 %d1, [b];
  ld.param.u64 %d2, [c];
  { .param .u64 p; st.param.u64 [p], %d0; call store, (p); }
  ld.global.u32 %r0, [%d1];
  ld.global.u32 %r1, [%d1+4];
  st.global.u64 [%d1], %d2;
  atom.global.add.u32 %r0, [%d2], 1;
  ret;
}
)",
                              "k.ptx");
  const auto kernels = inspect(module).kernels;
  const auto& parameters = kernels.front().parameters;
  const auto line = [&](const AccessWitness& at) {
    return at.present() ? module.functions[at.function].body[at.instruction].where.line : 0;
  };
  EXPECT_EQ(parameters[0].access, AccessMode::write);
  EXPECT_EQ(line(parameters[0].read_at), 0u);
  EXPECT_EQ(line(parameters[0].written_at), 7u);
  EXPECT_EQ(parameters[1].access, AccessMode::read_write);
  EXPECT_EQ(line(parameters[1].read_at), 16u);
  EXPECT_EQ(line(parameters[1].written_at), 18u);
  EXPECT_EQ(parameters[2].access, AccessMode::unknown);
  EXPECT_EQ(line(parameters[2].read_at), 19u);
  EXPECT_EQ(line(parameters[2].written_at), 19u);
  EXPECT_EQ(parameters[3].access, AccessMode::none);
  EXPECT_FALSE(parameters[3].read_at.present() || parameters[3].written_at.present());
}

// What is added to a pointer is told from it by cvta, by .ptr, and by uses of one of them alone.
TEST(Inspect, TellsPointersFromWhatMayBeAnIndex) {
  const Module module = parse(R"(.version 8.0
.target sm_80
.address_size 64
.func touch(.param .u64 a, .param .u64 b) {
  .reg .b64 %d<3>; .reg .b32 %r;
  ld.param.u64 %d0, [a];
  ld.param.u64 %d1, [b];
  add.u64 %d2, %d0, %d1;
  ld.global.u32 %r, [%d2];
  ret;
}
.visible .entry sums(.param .u64 p, .param .u64 i) {
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [p];
  ld.param.u64 %d1, [i];
  add.u64 %d2, %d0, %d1;
  st.global.u64 [%d2], 0;
  ret;
}
.visible .entry alone(.param .u64 p, .param .u64 i) {
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [p];
  ld.param.u64 %d1, [i];
  add.u64 %d2, %d0, %d1;
  st.global.u64 [%d2], 0;
  st.global.u64 [%d0+8], 0;
  ret;
}
.visible .entry declared(.param .u64 .ptr .global .align 8 p, .param .u64 i) {
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [p];
  ld.param.u64 %d1, [i];
  add.u64 %d2, %d0, %d1;
  st.global.u64 [%d2], 0;
  ret;
}
.visible .entry converted(.param .u64 p, .param .u64 i) {
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [p];
  ld.param.u64 %d1, [i];
  cvta.to.global.u64 %d0, %d0;
  add.u64 %d2, %d0, %d1;
  st.global.u64 [%d2], 0;
  ret;
}
.visible .entry calls(.param .u64 p, .param .u64 i) {
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [p];
  ld.param.u64 %d1, [i];
  .param .b64 x; .param .b64 y;
  st.param.b64 [x], %d0;
  st.param.b64 [y], %d1;
  call touch, (x, y);
  ret;
}
)",
                              "k.ptx");
  const Inspection found = inspect(module);
  std::string text;
  for (const InspectedKernel& kernel : found.kernels) {
    text += kernel.name;
    for (const InspectedParameter& parameter : kernel.parameters)
      text += !parameter.is_pointer ? " no" : parameter.may_be_index ? " maybe" : " pointer";
    text += "; ";
  }
  EXPECT_EQ(text,
            "sums maybe maybe; alone pointer maybe; declared pointer maybe; converted pointer no; calls maybe maybe; ");
}

TEST(Inspect, OneOfAThingIsNoPlural) {
  const Module one =
      parse(".version 8.0 .target sm_80 .address_size 64 .visible .entry k(.param .u8 b) { bar.sync 0; }", "k");
  EXPECT_THAT(to_text(inspect(one)), HasSubstr("0 registers, 0 bytes shared, 0 bytes local, 1 barrier, 0 atomics, "
                                               "1 instruction\n"));
  EXPECT_THAT(to_text(inspect(one)), HasSubstr("   1 byte   -"));
}

TEST(Inspect, AKernelIsHeadedByItsNameInTheSource) {
  const Module module = parse(
      ".version 8.0 .target sm_80 .address_size 64 .visible .entry _Z6reducePKfPfj() { ret; } .visible .entry k() { "
      "ret; }",
      "k");
  EXPECT_THAT(to_text(inspect(module)),
              AllOf(HasSubstr("reduce(float const*, float*, unsigned int)  [_Z6reducePKfPfj]\n"), HasSubstr("\nk\n")));
}

TEST(Inspect, WritesTextAndJson) {
  const Module module = parse(text, "k.ptx");
  const Inspection inspection = inspect(module);
  const std::string written = to_text(inspection);
  EXPECT_THAT(written, HasSubstr("64 bytes shared"));
  EXPECT_THAT(written, HasSubstr("blocks: ordered: atom.global.add.u32 in line 16 of k"));
  EXPECT_THAT(written, HasSubstr("block at most 128x1x1"));
  EXPECT_THAT(written, HasSubstr("variable counter (.global): read-write"));
  const nlohmann::json json = to_json(inspection);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["name"], "k");
  EXPECT_EQ(json[0]["parameters"][1]["access"], "write");
  EXPECT_EQ(json[0]["blocks"]["order"], "ordered");
  EXPECT_EQ(json[0]["shared_bytes"], 64);
  EXPECT_EQ(json[0]["maximum_block"][0], 128);
  EXPECT_EQ(json[1]["blocks"]["independent"], true);
  EXPECT_FALSE(json[1]["blocks"].contains("reason"));
  EXPECT_EQ(inspect_kernel(module, 1).name, "empty");
}

TEST(Inspect, WarnsOfWhatMayGoWrong) {
  const Module module = parse(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<2>;
  .reg .b64 %d<2>;
  .reg .pred %p;
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p, %r0, 5;
  ld.param.u64 %d0, [p];
  @%p bra B;
  bar.sync 0;
B:
  bar.sync 0;
AGAIN:
  atom.global.cas.b32 %r1, [%d0], 0, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra AGAIN;
  ld.global.u64 %d1, [%d0+8];
  st.global.u32 [%d1], %r1;
  ret;
}
)",
                              "k.ptx");
  const InspectedKernel kernel = inspect_kernel(module, 0);
  ASSERT_EQ(kernel.warnings.size(), 3u);
  EXPECT_THAT(kernel.warnings[0], HasSubstr("bar.sync in line 13 of k"));
  EXPECT_THAT(kernel.warnings[1], HasSubstr("atom.global.cas.b32 in line 17 of k"));
  EXPECT_THAT(kernel.warnings[2], HasSubstr("memory that no parameter leads to"));
}

}  // namespace
}  // namespace heddle::ptx::analysis
