#include "device/machine/code.hpp"

#include <gtest/gtest.h>

#include "device/machine/stepped_kernel.hpp"

namespace heddle::device::machine {
namespace {

TEST(Decode, SaysWhatEachInstructionDoes) {
  const SteppedKernel k(R"(
    .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .f32 %f<5>;
    ld.param.u64 %rd1, [p];
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
    st.shared.u16 [%r1], 1;
    atom.global.add.u64 %rd2, [%rd1], 1;
    red.global.add.u32 [%rd1], 1;
    add.u32 %r1, %r2, %r3;
    shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;
    activemask.b32 %r1;
    bar.sync 0;
    bar.warp.sync -1;
    membar.gl;
    @%p1 bra end;
  end:
    ret;)");
  const std::vector<Operation>& all = k.kernel().code().operations;
  ASSERT_EQ(all.size(), 13u);
  struct Expected {
    Action action;
    Involves involves;
  };
  const Expected expected[] = {
      {Action::load, Involves::none},       {Action::load, Involves::none},      {Action::store, Involves::none},
      {Action::atomic, Involves::none},     {Action::reduction, Involves::none}, {Action::evaluate, Involves::none},
      {Action::shuffle, Involves::meeting}, {Action::vote, Involves::gathering}, {Action::barrier, Involves::barrier},
      {Action::meet, Involves::meeting},    {Action::nothing, Involves::none},   {Action::branch, Involves::none},
      {Action::leave, Involves::none}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].action, expected[i].action) << i;
    EXPECT_EQ(all[i].involves, expected[i].involves) << i;
    EXPECT_EQ(all[i].instruction, &k.kernel().ptx().body[i]);
  }
}

TEST(Decode, SaysWhatALaneAccesses) {
  const SteppedKernel k(R"(
    .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .f32 %f<5>; .reg .b128 %q<3>;
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
    ldu.global.u8 %r1, [%rd1];
    st.shared.u16 [%r1], 1;
    st.v2.u64 [%rd1], {%rd1, %rd2};
    atom.shared.cas.b32 %r1, [%r2], 0, 1;
    red.global.add.u64 [%rd1], 1;
    ret;)");
  struct Expected {
    ptx::Space space;
    unsigned bytes, elements;
  };
  const Expected expected[] = {{ptx::Space::global, 4, 4},  {ptx::Space::global, 1, 1}, {ptx::Space::shared, 2, 1},
                               {ptx::Space::generic, 8, 2}, {ptx::Space::shared, 4, 1}, {ptx::Space::global, 8, 1},
                               {ptx::Space::generic, 0, 0}};
  const std::vector<Operation>& all = k.kernel().code().operations;
  ASSERT_EQ(all.size(), std::size(expected));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].space, expected[i].space) << i;
    EXPECT_EQ(all[i].element_bytes, expected[i].bytes) << i;
    EXPECT_EQ(all[i].elements, expected[i].elements) << i;
  }
}

TEST(Decode, NamesAnInstructionByItsAddress) {
  SteppedKernel k(R"(
    .reg .b32 %r<3>;
  again:
    add.u32 %r1, %r1, 1;
    bra again;)");
  const Operation* const add = &k.kernel().code().operations[0];
  EXPECT_EQ(k.step(1).operation, add);
  EXPECT_EQ(k.step(1).operation, add + 1);
  EXPECT_EQ(k.step(1).operation, add);
  EXPECT_EQ(k.value(0, "%r1"), 2u);
}

}  // namespace
}  // namespace heddle::device::machine
