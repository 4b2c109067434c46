// Launches that touch what they were not given, on the devices that verify accesses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <heddle/heddle.hpp>
#include <string>
#include <vector>

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// put(p, i): p[i] = 7; move(to, from, i): to[0] = from[i]; through(table, i): table[0][i] = 7, where table[0] is an
// address; walk(p, n): p[0] to p[n - 1] = 7; pair(p, i): p[i] and p[i + 1] = 7 at once; within({address}): *address =
// 7; unseen(p): the analysis does not see what becomes of p; it is put into a table and p[0] = 7.
constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
.global .u64 somewhere;
.visible .entry put(.param .u64 p, .param .u64 i) {
  .reg .b64 %p, %i;
  ld.param.u64 %p, [p];
  ld.param.u64 %i, [i];
  shl.b64 %i, %i, 2;
  add.u64 %p, %p, %i;
  .loc 1 5 1
  st.global.u32 [%p], 7;
  ret;
}
.visible .entry walk(.param .u64 p, .param .u64 n) {
  .reg .b64 %p, %n; .reg .pred %more;
  ld.param.u64 %p, [p];
  ld.param.u64 %n, [n];
again:
  st.global.u32 [%p], 7;
  add.u64 %p, %p, 4;
  sub.u64 %n, %n, 1;
  setp.ne.u64 %more, %n, 0;
  @%more bra again;
  ret;
}
.visible .entry pair(.param .u64 p, .param .u64 i) {
  .reg .b64 %p, %i; .reg .b32 %x;
  ld.param.u64 %p, [p];
  ld.param.u64 %i, [i];
  shl.b64 %i, %i, 2;
  add.u64 %p, %p, %i;
  mov.u32 %x, 7;
  st.global.v2.u32 [%p], {%x, %x};
  ret;
}
.visible .entry move(.param .u64 to, .param .u64 from, .param .u64 i) {
  .reg .b64 %to, %from, %i; .reg .b32 %x;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u64 %i, [i];
  shl.b64 %i, %i, 2;
  add.u64 %from, %from, %i;
  ld.global.u32 %x, [%from];
  st.global.u32 [%to], %x;
  ret;
}
.visible .entry through(.param .u64 table, .param .u64 i) {
  .reg .b64 %p, %i;
  ld.param.u64 %p, [table];
  ld.param.u64 %i, [i];
  shl.b64 %i, %i, 2;
  ld.global.u64 %p, [%p];
  add.u64 %p, %p, %i;
  st.u32 [%p], 7;
  ret;
}
.visible .entry within(.param .align 8 .b8 box[8]) {
  .reg .b64 %p;
  ld.param.u64 %p, [box];
  st.global.u32 [%p], 7;
  ret;
}
.visible .entry unseen(.param .u64 p) {
  .reg .b64 %p;
  ld.param.u64 %p, [p];
  st.global.u64 [somewhere], %p;
  ld.volatile.global.u64 %p, [somewhere];
  st.u32 [%p], 7;
  ret;
}
.visible .entry count(.param .u64 p) {
  .reg .b64 %p; .reg .b32 %x;
  ld.param.u64 %p, [p];
  st.global.u64 [somewhere], %p;
  ld.volatile.global.u64 %p, [somewhere];
  atom.add.u32 %x, [%p], 1;
  ret;
}
.visible .entry fetch(.param .u64 to, .param .u64 from, .param .u32 bytes) {
  .shared .align 16 .b8 tile[16];
  .reg .b64 %to, %from; .reg .b32 %n, %tile, %x;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u32 %n, [bytes];
  mov.u32 %tile, tile;
  cp.async.ca.shared.global [%tile], [%from], 16, %n;
  cp.async.wait_all;
  ld.shared.u32 %x, [tile + 4];
  st.global.u32 [%to], %x;
  ret;
}
.visible .entry shift(.param .u64 base, .param .u64 other) {
  .reg .b64 %base, %other, %distance;
  ld.param.u64 %base, [base];
  ld.param.u64 %other, [other];
  sub.s64 %distance, %other, %base;
  cvta.to.global.u64 %base, %base;
  add.s64 %base, %base, %distance;
  st.global.u32 [%base], 7;
  ret;
}
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 format[8] = {91, 37, 46, 52, 115, 93, 10, 0};
.visible .entry print(.param .u64 text) {
  .local .align 8 .b8 values[8];
  .reg .b64 %text, %values, %format;
  ld.param.u64 %text, [text];
  st.local.u64 [values], %text;
  mov.u64 %values, values;
  cvta.local.u64 %values, %values;
  mov.u64 %format, format;
  cvta.global.u64 %format, %format;
  {
  .param .b64 f;
  .param .b64 v;
  .param .b32 r;
  st.param.b64 [f], %format;
  st.param.b64 [v], %values;
  call.uni (r), vprintf, (f, v);
  }
  ret;
}
)";

class FootprintTest : public testing::TestWithParam<const char*> {
 protected:
  template <typename... Arguments>
  void launch(const char* kernel, const Arguments&... arguments) {
    runtime.launch(module.kernel(kernel), {}, arguments...).wait();
  }
  template <typename F>
  static std::string fault_of(F&& f) {
    try {
      f();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kernel_fault);
      return error.what();
    }
    return "no error";
  }
  Array<int> zeros(std::size_t count) {
    Array<int> made = runtime.array<int>(count);
    for (int& value : made.write()) value = 0;
    return made;
  }

  // The interpreter verifies accesses without being asked to.
  Runtime runtime{{.devices = GetParam(), .check = std::string(GetParam()) == "cpu"}};
  Module module{runtime.load_ptx(source, "source.ptx")};
};
INSTANTIATE_TEST_SUITE_P(Devices, FootprintTest, testing::Values("cpu", "interp"),
                         [](const auto& device) { return std::string(device.param); });

TEST_P(FootprintTest, APartOfAnArrayEndsWhereItEnds) {
  Array<int> data = zeros(100);
  launch("put", data.slice(10, 20), 0l);
  launch("put", data.slice(10, 20), 19l);
  launch("put", data.slice(90), 9l);
  EXPECT_THAT(
      fault_of([&] { launch("put", data.slice(10, 20), 20l); }),
      AllOf(HasSubstr("write"), HasSubstr("4 bytes"),
            HasSubstr("at offset 120 of an array of 400 bytes; the launch was given bytes 40 to 120 of it to write "
                      "(argument 1)")));
  EXPECT_THAT(fault_of([&] { launch("put", data.slice(10, 20), -1l); }), HasSubstr("at offset 36 of an array of 400"));
  // Half of it is within.
  EXPECT_THAT(fault_of([&] { launch("pair", data.slice(10, 21), 20l); }), HasSubstr("8 bytes"));
  EXPECT_EQ(data.read()[9], 0);
  EXPECT_EQ(data.read()[30], 0);
  EXPECT_EQ(data.read()[29], 7);
  EXPECT_EQ(data.read()[99], 7);
}

// The first accesses are right and of the same instruction.
TEST_P(FootprintTest, ALoopEndsWhereThePartEnds) {
  Array<int> data = zeros(100);
  launch("walk", data.slice(10, 20), 20l);
  EXPECT_EQ(data.read()[29], 7);
  EXPECT_THAT(fault_of([&] { launch("walk", data.slice(10, 20), 21l); }),
              HasSubstr("at offset 120 of an array of 400"));
  EXPECT_EQ(data.read()[30], 0);
}

TEST_P(FootprintTest, PartsOfOneArrayAddUp) {
  Array<int> data = zeros(100);
  launch("move", data.slice(0, 4), data.slice(4, 4), 3l);
  // What is beside one argument is within the other, which is read.
  launch("move", data.slice(0, 4), data.slice(4, 4), 4l - 4);
  EXPECT_THAT(fault_of([&] { launch("move", data.slice(0, 4), data.slice(4, 4), 4l); }),
              HasSubstr("given bytes 16 to 32 of it to read (argument 2)"));
  EXPECT_THAT(
      fault_of([&] { launch("move", data.slice(0, 4), data.slice(4, 4), -1l); }),
      HasSubstr(
          "at offset 12 of an array of 400 bytes; the launch was given bytes 16 to 32 of it to read (argument 2)"));
  EXPECT_THAT(fault_of([&] { launch("move", data.slice(0, 4), data.slice(8, 4), -1l); }),
              HasSubstr("the launch was given bytes 32 to 48 of it to read (argument 2)"));
}

TEST_P(FootprintTest, OtherArraysAreNobodysBusiness) {
  Array<int> data = zeros(64), other = zeros(64);
  // The address of an array's bytes on the host is one on these devices too: it was not given to the launch.
  Array<std::uint64_t> table = runtime.array<std::uint64_t>(1);
  table.write()[0] = reinterpret_cast<std::uint64_t>(other.write().data());
  EXPECT_THAT(
      fault_of([&] { launch("through", table, 3l); }),
      HasSubstr("at offset 12 of an array of 256 bytes that was not given to the launch, nor its address taken"));
  EXPECT_EQ(other.read()[3], 0);
}

TEST_P(FootprintTest, ArraysWhoseAddressWasTakenAreEveryonesBusiness) {
  Array<int> other = zeros(64);
  Array<std::uint64_t> table = runtime.array<std::uint64_t>(1);
  table.write()[0] = other.address();
  launch("through", table, 3l);
  struct Box {
    std::uint64_t address;
  };
  launch("within", Box{other.address() + 16});
  EXPECT_EQ(other.read()[3], 7);
  EXPECT_EQ(other.read()[4], 7);
}

TEST_P(FootprintTest, OpaquePointersMayLeadAnywhere) {
  Array<int> data = zeros(8);
  launch("put", opaque(data.write().data()), 3l);
  EXPECT_EQ(data.read()[3], 7);
}

TEST_P(FootprintTest, MemoryOfTheExplicitLevelIsNoArray) {
  Memory memory = runtime.device(GetParam()).allocate(256);
  struct Box {
    std::uint64_t address;
  };
  launch("within", Box{memory.span().address});
}

// What the PTX does not tell is a promise.
TEST_P(FootprintTest, PromisesAreHeld) {
  Array<int> data = zeros(8);
  launch("unseen", data);
  launch("unseen", inout(data));
  EXPECT_EQ(data.read()[0], 7);
  EXPECT_THAT(
      fault_of([&] { launch("unseen", in(data)); }),
      HasSubstr("at offset 0 of an array of 32 bytes; the launch was given bytes 0 to 32 of it to read (argument 1)"));
}

TEST_P(FootprintTest, WhatIsSaidCountsWhereThePtxShowsNothing) {
  Array<int> other = zeros(64);
  Array<std::uint64_t> table = runtime.array<std::uint64_t>(1);
  table.write()[0] = reinterpret_cast<std::uint64_t>(other.write().data());
  // The index is a number for the PTX; that an array is given says that it is none.
  Array<int> data = zeros(8);
  launch("shift", data, other);
  EXPECT_EQ(other.read()[0], 7);
  EXPECT_THAT(fault_of([&] { launch("shift", data, in(other)); }), HasSubstr("given bytes 0 to 256 of it to read"));
}

TEST_P(FootprintTest, AtomicsReadAndWrite) {
  Array<int> data = zeros(8);
  launch("count", data);
  EXPECT_EQ(data.read()[0], 1);
  for (const Argument& said : {in(data), out(data)})
    EXPECT_THAT(fault_of([&] { launch("count", said); }), HasSubstr("read and write"));
}

TEST_P(FootprintTest, AsynchronousCopiesReadWhatTheyAreTold) {
  Array<int> data = zeros(16), to = zeros(1);
  data.write()[5] = 3;
  launch("fetch", to, data.slice(4, 4), 16u);
  EXPECT_EQ(to.read()[0], 3);
  launch("fetch", to, data.slice(4, 2), 8u);
  launch("fetch", to, data.slice(4, 0), 0u);
  EXPECT_EQ(to.read()[0], 0);
  EXPECT_THAT(fault_of([&] { launch("fetch", to, data.slice(4, 2), 16u); }),
              HasSubstr("given bytes 16 to 24 of it to read (argument 2)"));
}

TEST_P(FootprintTest, PrintedStringsAreRead) {
  Array<char> text = runtime.array<char>(8);
  std::copy_n("abcdefg", 8, text.write().begin());
  launch("print", text.slice(0, 4));  // the format takes four letters
  launch("print", text.slice(5));
  EXPECT_THAT(fault_of([&] { launch("print", text.slice(0, 3)); }), HasSubstr("given bytes 0 to 3 of it to read"));
  EXPECT_EQ(module.kernel("print").info().parameters[0].access, Access::read);
}

TEST_P(FootprintTest, RepeatedLaunchesAreVerifiedEachForItself) {
  Array<int> data = zeros(1000);
  for (long i = 0; i < 300; ++i) runtime.launch(module.kernel("put"), {}, data.slice(0, 500), i);
  runtime.synchronize();
  runtime.launch(module.kernel("put"), {}, data.slice(0, 500), 500l);
  EXPECT_THAT(fault_of([&] { runtime.synchronize(); }), HasSubstr("at offset 2000"));
  EXPECT_EQ(data.read()[299], 7);
  EXPECT_EQ(data.read()[500], 0);
}

}  // namespace
}  // namespace heddle::tests
