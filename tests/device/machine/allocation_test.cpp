// A model of time executes millions of warp instructions: none may cost an allocation.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "device/machine/stepped_kernel.hpp"

namespace {

std::atomic<unsigned> allocations{0};

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace heddle::device::machine {
namespace {

TEST(Core, AllocatesNothingForAnInstruction) {
  SteppedKernel k(R"(
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<8>;
    .shared .align 16 .b8 s[64];
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 16;
    ld.global.v2.u64 {%rd4, %rd5}, [%rd1];
    ld.v4.u32 {%r1, %r2, %r3, _}, [%rd1];
    st.shared.u32 [s], %r1;
    atom.global.add.u32 %r2, [%rd1], %r1;
    cp.async.ca.shared.global [s], [%rd1], 16;
    @%p1 bra end;
    bar.sync 0;
  end:
    shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;
    exit;)");
  const unsigned before = allocations;
  ASSERT_GT(before, 0u);
  k.steps(9);
  EXPECT_EQ(k.effects.branched, 0xffffu);
  k.step(0xffff0000);
  EXPECT_EQ(k.effects.waiting, 0xffff0000u);
  k.step(0x0000ffff);
  EXPECT_EQ(k.effects.members[0], ~LaneMask{0});
  k.core->perform(*k.block, k.block->warps[0].lanes, 0xffff, k.effects);
  EXPECT_EQ(k.step(0xffff).exited, 0xffffu);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace heddle::device::machine
