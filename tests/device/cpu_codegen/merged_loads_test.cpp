// Which loads are merged. What they compute then is tested by tests/data/run/memory/rows.ptx.
#include "device/cpu/codegen/merged_loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "device/cpu/codegen/function_facts.hpp"
#include "ptx/parser.hpp"
#include "ptx/rewrite/split_webs.hpp"

namespace heddle::device::cpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// %rd3 is a row of the lane's own, as is %r10 in shared memory; %rd2 is the same for all, %rd4 the distance of %rd3
// from it.
constexpr const char* frame = R"ptx(
.version 8.3
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 in, .param .u32 m)
{{
  .reg .pred %p<8>;
  .reg .b16 %h<32>;
  .reg .b32 %r<64>;
  .reg .f32 %f<16>;
  .reg .b64 %rd<32>;
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [m];
  mov.u32 %r2, %tid.x;
  mul.lo.u32 %r10, %r2, %r1;
  mul.wide.s32 %rd4, %r10, 4;
  add.s64 %rd3, %rd2, %rd4;
  setp.lt.u32 %p1, %r10, 7;
  setp.lt.u32 %p2, %r1, 7;
{}
  ret;
}}
)ptx";

constexpr std::uint32_t prologue = 8;  // instructions of the frame

// Each group as "first instruction of the group, distance, elements x bytes", and each load as its places.
struct Found {
  std::vector<std::string> groups, loads;
  bool any_sum = false;
};

Found find(const std::string& text, unsigned lanes = 8) {
  const ptx::Module module = ptx::parse(fmt::format(fmt::runtime(frame), text), "test.ptx");
  FactsOptions options;
  options.lanes = lanes;
  options.block = {64, 1, 1};
  const FunctionFacts facts(module, ptx::split_webs(module.functions[0]), options);
  const MergedLoads merged = find_merged_loads(facts);
  Found found;
  for (const LoadGroup& group : merged.groups) {
    found.groups.push_back(
        fmt::format("{}{:+} {}x{}", group.first - prologue, group.distance, group.count, group.bytes));
    found.any_sum |= group.sum.has_value();
  }
  for (std::uint32_t i = 0; i < facts.function.body.size(); ++i) {
    const auto places = merged.places.find(i);
    if (places == merged.places.end()) continue;
    std::string line = fmt::format("{}:", i - prologue);
    for (const MergedLoads::Place& place : places->second)
      line += place.group == MergedLoads::none ? " -" : fmt::format(" {}.{}", place.group, place.element);
    found.loads.push_back(line);
  }
  return found;
}

TEST(MergedLoads, NeighboursInAnyOrder) {
  const Found found = find(R"(
    ld.global.f32 %f1, [%rd3+4];
    ld.global.b32 %r20, [%rd3+-4];
    add.f32 %f2, %f1, %f1;
    ld.global.f32 %f3, [%rd3+8];
    ld.global.nc.f32 %f4, [%rd3];)");
  EXPECT_THAT(found.groups, ElementsAre("0-8 4x4"));
  EXPECT_THAT(found.loads, ElementsAre("0: 0.2", "1: 0.0", "3: 0.3", "4: 0.1"));
  EXPECT_TRUE(found.any_sum);
}

TEST(MergedLoads, AtMostSixteenBytesAndPowersOfTwo) {
  const Found found = find(R"(
    ld.global.u32 %r20, [%rd3];
    ld.global.u32 %r21, [%rd3+4];
    ld.global.u32 %r22, [%rd3+8];
    ld.global.u32 %r23, [%rd3+12];
    ld.global.u32 %r24, [%rd3+16];
    ld.global.u32 %r25, [%rd3+20];
    ld.global.u32 %r26, [%rd3+24];)");
  EXPECT_THAT(found.groups, ElementsAre("0+0 4x4", "4+0 2x4"));
  EXPECT_THAT(found.loads, ElementsAre("0: 0.0", "1: 0.1", "2: 0.2", "3: 0.3", "4: 1.0", "5: 1.1"));
}

TEST(MergedLoads, NothingBetweenTheBytesIsRead) {
  EXPECT_THAT(find("ld.global.u32 %r20, [%rd3]; ld.global.u32 %r21, [%rd3+8];").groups, IsEmpty());
  EXPECT_THAT(find("ld.global.u32 %r20, [%rd3]; ld.global.u32 %r21, [%rd3+2];").groups, IsEmpty());
  EXPECT_THAT(find("ld.global.u32 %r20, [%rd3]; ld.global.u64 %rd21, [%rd3+4];").groups, IsEmpty());
  EXPECT_THAT(find("ld.global.u32 %r20, [%rd3]; ld.u32 %r21, [%rd3+4];").groups, IsEmpty());
}

TEST(MergedLoads, OnePlaceTwice) {
  const Found found = find("ld.global.u32 %r20, [%rd3]; ld.global.u32 %r21, [%rd3]; ld.global.f32 %f1, [%rd3+4];");
  EXPECT_THAT(found.groups, ElementsAre("0+0 2x4"));
  EXPECT_THAT(found.loads, ElementsAre("0: 0.0", "1: 0.0", "2: 0.1"));
}

TEST(MergedLoads, Vectors) {
  const Found found = find(R"(
    ld.global.v2.u32 {%r20, _}, [%rd3+4];
    ld.global.v4.u32 {%r21, %r22, %r23, %r24}, [%rd3+12];)");
  EXPECT_THAT(found.groups, ElementsAre("0+0 4x4", "1+8 2x4"));
  EXPECT_THAT(found.loads, ElementsAre("0: 0.0 0.1", "1: 0.2 0.3 1.0 1.1"));
  EXPECT_THAT(find("ld.global.v2.u32 {%r20, %r21}, [%rd3]; ld.global.u32 %r22, [%rd3+8];").loads,
              ElementsAre("0: 0.0 0.1"));
}

TEST(MergedLoads, WhatMayWriteOrWaitEndsAGroup) {
  for (const char* between : {"st.global.u32 [%rd3], %r1;", "st.volatile.global.u32 [%rd2], %r1;",
                              "add.s64 %rd9, %rd2, 4; st.global.u32 [%rd9], %r1;", "red.global.add.u32 [%rd2], 1;",
                              "bar.sync 0;", "membar.gl;", "bar.warp.sync -1;", "ld.volatile.global.u32 %r30, [%rd2];",
                              "ld.acquire.gpu.global.u32 %r30, [%rd2];", "trap;",
                              "shfl.sync.idx.b32 %r31, %r1, 0, 31, -1;", "bra next; next:"}) {
    SCOPED_TRACE(between);
    const std::string text = fmt::format("ld.global.u32 %r20, [%rd3]; {} ld.global.u32 %r21, [%rd3+4];", between);
    EXPECT_THAT(find(text).groups, IsEmpty());
  }
  EXPECT_THAT(find("ld.global.u32 %r20, [%rd3]; ld.global.u32 %r22, [%rd2]; ld.global.u32 %r21, [%rd3+4];").groups,
              ElementsAre("0+0 2x4"));
}

TEST(MergedLoads, StoresThatAreKnownBefore) {
  const auto stores = [](const std::string& text) {
    const ptx::Module module = ptx::parse(fmt::format(fmt::runtime(frame), text), "test.ptx");
    FactsOptions options;
    options.lanes = 8;
    options.block = {64, 1, 1};
    std::vector<std::vector<std::uint32_t>> found;
    const FunctionFacts facts(module, ptx::split_webs(module.functions[0]), options);
    for (const LoadGroup& group : find_merged_loads(facts).groups) {
      found.push_back(group.stores);
      for (std::uint32_t& store : found.back()) store -= prologue;
    }
    return found;
  };
  EXPECT_THAT(stores("ld.global.u32 %r20, [%rd3]; st.global.u32 [%rd2], %r1; ld.global.u32 %r21, [%rd3+4];"),
              ElementsAre(ElementsAre(1)));
  // Only those between the loads of the group.
  EXPECT_THAT(stores(R"(
    mad.wide.u32 %rd9, %r2, 4, %rd2;
    st.global.u32 [%rd9], %r1;
    ld.global.u32 %r20, [%rd3];
    ld.global.u32 %r21, [%rd3+4];
    st.global.u32 [%rd9], %r20;
    ld.global.u32 %r22, [%rd3+16];
    @%p1 st.global.u32 [%rd9], %r21;
    st.u8 [%rd2], %r1;
    ld.global.u32 %r23, [%rd3+20];
    st.global.u32 [%rd2], %r1;)"),
              ElementsAre(IsEmpty(), ElementsAre(6, 7)));
  // Lanes that store far from each other, and more stores than are looked at.
  EXPECT_THAT(stores("mad.wide.u32 %rd9, %r2, 64, %rd2; ld.global.u32 %r20, [%rd3]; st.global.u32 [%rd9], %r1; "
                     "ld.global.u32 %r21, [%rd3+4];"),
              IsEmpty());
  std::string many = "ld.global.u32 %r20, [%rd3];";
  for (unsigned i = 0; i <= merged_stores; ++i) many += "st.global.u32 [%rd2], %r1;";
  EXPECT_THAT(stores(many + "ld.global.u32 %r21, [%rd3+4];"), IsEmpty());
}

TEST(MergedLoads, BasesAtKnownDistances) {
  const Found found = find(R"(
    ld.global.u32 %r20, [%rd3];
    add.s64 %rd3, %rd3, 4;
    ld.global.u32 %r21, [%rd3];
    add.s64 %rd5, %rd3, -8;
    ld.global.u32 %r22, [%rd5+12];
    ld.global.u32 %r23, [%rd5];)");
  EXPECT_THAT(found.groups, ElementsAre("0-4 4x4"));
  EXPECT_THAT(found.loads, ElementsAre("0: 0.1", "2: 0.2", "4: 0.3", "5: 0.0"));
}

TEST(MergedLoads, BasesAtUnknownDistances) {
  for (const char* between : {"add.s64 %rd3, %rd3, %rd2;", "@%p1 add.s64 %rd3, %rd3, 4;", "ld.global.u64 %rd3, [%rd2];",
                              "sub.s64 %rd3, %rd2, %rd3;", "add.cc.s64 %rd3, %rd3, 0;"}) {
    SCOPED_TRACE(between);
    const std::string text = fmt::format("ld.global.u32 %r20, [%rd3]; {} ld.global.u32 %r21, [%rd3+4];", between);
    EXPECT_THAT(find(text).groups, IsEmpty());
  }
}

TEST(MergedLoads, GuardedAndStrongLoadsStay) {
  for (const char* load : {"@%p1 ld.global.u32", "@%p2 ld.global.u32", "ld.volatile.global.u32",
                           "ld.relaxed.gpu.global.u32", "ld.local.u32"}) {
    SCOPED_TRACE(load);
    EXPECT_THAT(find(fmt::format("{0} %r20, [%rd3]; {0} %r21, [%rd3+4];", load)).groups, IsEmpty());
  }
}

TEST(MergedLoads, OnlyWhatWouldBeAGather) {
  const auto pair = [](const char* base, unsigned lanes) {
    return find(fmt::format("{} ld.global.u32 %r20, [%rd9]; ld.global.u32 %r21, [%rd9+4];", base), lanes).groups;
  };
  EXPECT_THAT(pair("mov.u64 %rd9, %rd2;", 8), IsEmpty());
  EXPECT_THAT(pair("mad.wide.u32 %rd9, %r2, 4, %rd2;", 8), IsEmpty());
  EXPECT_THAT(pair("mad.wide.u32 %rd9, %r2, 8, %rd2;", 8), IsEmpty());
  EXPECT_THAT(pair("mad.wide.u32 %rd9, %r2, 40, %rd2;", 8), ElementsAre("1+0 2x4"));
  EXPECT_THAT(pair("mov.u64 %rd9, %rd3;", 8), ElementsAre("1+0 2x4"));
  EXPECT_THAT(pair("mov.u64 %rd9, %rd3;", 1), IsEmpty());
}

TEST(MergedLoads, SumsHoldWhileTheirPartsDo) {
  constexpr const char* loads = "ld.global.u32 %r20, [%rd5+4]; ld.global.u32 %r21, [%rd5+8];";
  EXPECT_TRUE(find(fmt::format("add.s64 %rd5, %rd4, %rd2; {}", loads)).any_sum);
  EXPECT_TRUE(find(fmt::format("add.s64 %rd6, %rd4, %rd2; add.s64 %rd5, %rd6, 4; {}", loads)).any_sum);
  const Found later =
      find(fmt::format("again: add.s64 %rd5, %rd2, %rd4; {} add.s64 %rd2, %rd2, 4; @%p2 bra again;", loads));
  EXPECT_THAT(later.groups, ElementsAre("1+0 2x4"));
  EXPECT_TRUE(later.any_sum);
  const Found before =
      find(fmt::format("again: add.s64 %rd5, %rd2, %rd4; add.s64 %rd2, %rd2, 4; {} @%p2 bra again;", loads));
  EXPECT_THAT(before.groups, ElementsAre("2+0 2x4"));
  EXPECT_FALSE(before.any_sum);
}

}  // namespace
}  // namespace heddle::device::cpu
