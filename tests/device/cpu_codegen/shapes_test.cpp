// Which shape the code of a kernel has, by the way in which its threads wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "device/cpu/codegen/codegen.hpp"
#include "ptx/parser.hpp"

namespace heddle::device::cpu {
namespace {

constexpr const char* frame = R"ptx(
.version 8.3
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out)
{{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .local .align 4 .b8 local[{}];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  setp.gt.u32 %p1, %r2, 3;
{}
  st.global.u32 [%rd3], %r2;
  ret;
}}
)ptx";

CompiledKernel compile(const std::string& code, Checks checks = false, Dim3 block = {256}, bool phases = true,
                       std::uint64_t local_bytes = 64) {
  const ptx::Module module = ptx::parse(fmt::format(frame, local_bytes, code), "kernel.ptx");
  CodegenOptions options;
  options.block = block;
  options.check = checks;
  options.phases = phases;
  return compile_kernel(module, module.functions[0], options);
}

TEST(Shapes, PhasesWhereAllWaitAtOneBarrier) {
  const std::string loop =
      "  mov.u32 %r3, 4;\nagain:\n  bar.sync 0;\n  add.u32 %r2, %r2, %r3;\n  sub.u32 %r3, %r3, 1;\n"
      "  setp.ne.u32 %p2, %r3, 0;\n  @%p2 bra again;\n  barrier.sync 0;";
  for (const std::string& code : {std::string("bar.sync 0;"), std::string("bar.sync 3; bar.sync 3;"), loop,
                                  std::string("shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1; bar.sync 0;")}) {
    const CompiledKernel kernel = compile(code);
    EXPECT_EQ(kernel.shape, Shape::phases) << code << kernel.explanation;
    EXPECT_GT(kernel.frame_bytes, 2 * sizeof(void*)) << code;
    EXPECT_LT(kernel.frame_bytes, 4096u) << code;
    EXPECT_EQ(compile(code, false, {256}, false).shape, Shape::fiber) << code;
    EXPECT_EQ(compile(code, Checks(true)).shape, Shape::phases) << "memory alone is checked";
    Checks all;
    for (bool Checks::* one : {&Checks::race, &Checks::init, &Checks::sync}) {
      all = {};
      all.*one = true;
      EXPECT_EQ(compile(code, all).shape, Shape::fiber) << code;
    }
  }
}

TEST(Shapes, LocalMemoryIsInTheFrame) {
  const CompiledKernel kernel = compile(
      "mov.u64 %rd4, local; and.b32 %r4, %r2, 15; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd4, %rd4, %rd5;\n"
      "st.local.u32 [%rd4], %r1; bar.sync 0; ld.local.u32 %r2, [local+4];");
  EXPECT_EQ(kernel.shape, Shape::phases) << kernel.explanation;
  EXPECT_GT(kernel.frame_bytes, 64u * kernel.width);
}

TEST(Shapes, FibersWhereWarpsWaitInOtherWays) {
  for (const char* code : {
           "bar.sync 0; bar.sync 1;",  // one warp may be at the one, another at the other
           "bar.sync 0, 128;",
           "bar.arrive 0, 256; bar.sync 0;",  // not all of the block
           "bar.red.popc.u32 %r2, 0, %p1;",   // a result that all make together
           "mov.u32 %r3, 1; bar.sync %r3;",   // computed
           "@%p1 bar.sync 0;",                // by a part of a warp, perhaps
           "again: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra again; bar.sync 0;",
           "nanosleep.u32 20; bar.sync 0;",
       }) {
    const CompiledKernel kernel = compile(code);
    // Threads that wait one by one are fibers or take turns; a part of a warp is no reason for fibers.
    if (std::string(code).starts_with('@')) {
      EXPECT_EQ(kernel.width, 1u) << code;
      EXPECT_EQ(kernel.shape, Shape::phases) << code << kernel.explanation;
    } else {
      EXPECT_EQ(kernel.shape, Shape::fiber) << code << kernel.explanation;
    }
    EXPECT_EQ(kernel.frame_bytes == 0, kernel.shape == Shape::fiber) << code;
  }
}

TEST(Shapes, DirectWhereNobodyWaits) {
  EXPECT_EQ(compile("add.u32 %r2, %r2, 1;").shape, Shape::direct);
  EXPECT_EQ(compile("bar.sync 0;", false, {32}).shape, Shape::direct) << "a block of one warp";
}

TEST(Shapes, FibersForHugeLocalMemory) {
  const std::string code =
      "mov.u64 %rd4, local; add.u64 %rd4, %rd4, %rd2; st.local.u32 [%rd4], %r1; bar.sync 0; "
      "ld.local.u32 %r2, [local+4];";
  EXPECT_EQ(compile(code).shape, Shape::phases);
  EXPECT_EQ(compile(code, false, {256}, true, 300'000'000).shape, Shape::fiber);
}

// Functions too large for LLVM are cut, which coroutines cannot be.
TEST(Shapes, FibersForLargeKernels) {
  std::string code;
  for (int i = 0; i < 3000; ++i) code += "  mad.lo.u32 %r2, %r2, %r1, 5;\n  xor.b32 %r2, %r2, %r1;\n";
  const CompiledKernel kernel = compile(code + "bar.sync 0;\n" + code);
  EXPECT_EQ(kernel.shape, Shape::fiber);
  EXPECT_THAT(kernel.explanation, testing::HasSubstr("pieces"));
}

}  // namespace
}  // namespace heddle::device::cpu
