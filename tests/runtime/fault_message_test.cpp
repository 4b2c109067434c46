// What the errors of kernels say, on the devices that check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 pool[];
.func touch(.reg .b64 %where) {
  .reg .b32 %one;
  .loc 2 35 1
  mov.u32 %one, 1;
  st.u32 [%where], %one;
  ret;
}
.func __heddle_wait(.reg .b64 %flag) {
  .reg .pred %p; .reg .b32 %r<2>;
again:
  .loc 2 99 1
  ld.volatile.global.u32 %r1, [%flag];
  setp.eq.u32 %p, %r1, 0;
  @%p bra again;
  ret;
}
.visible .entry forgotten() {
  .reg .b32 %r<2>;
  mov.u32 %r1, 1;
  .loc 1 5 1
  st.shared.u32 [pool], %r1;
  ret;
}
.visible .entry forgotten_generic() {
  .reg .b32 %r<2>; .reg .b64 %rd<3>;
  mov.u64 %rd1, pool;
  cvta.shared.u64 %rd2, %rd1;
  mov.u32 %r1, 1;
  st.u32 [%rd2], %r1;
  ret;
}
.visible .entry byte_past(.param .u64 p, .param .u64 offset) {
  .reg .b16 %h; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [offset];
  cvta.to.global.u64 %rd1, %rd1;
  add.u64 %rd3, %rd1, %rd2;
  .loc 1 4 47
  mov.u16 %h, 1;
  .loc 1 0 47
  st.global.u8 [%rd3], %h;
  ret;
}
.visible .entry far_local(.param .u32 index, .param .u64 out) {
  .local .align 4 .b8 few[16];
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u32 %r1, [index];
  ld.param.u64 %rd1, [out];
  mov.u32 %r2, few;
  add.u32 %r2, %r2, %r1;
  ld.local.u32 %r3, [%r2];
  st.global.u32 [%rd1], %r3;
  ret;
}
.visible .entry in_function() {
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 64;
  .loc 1 8 1
  call touch, (%rd1);
  ret;
}
.visible .entry waits(.param .u64 flag) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag];
  .loc 1 12 1
  call __heddle_wait, (%rd1);
  ret;
}
.visible .entry outside_mask(.param .u64 p) {
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  .loc 1 18 1
  shfl.sync.idx.b32 %r2, %r1, 3, 31, 65535;
  st.global.u32 [%rd1], %r2;
  ret;
}
.file 1 "/home/ren\303\251/k.cu"
.file 2 "/opt/heddle/barrier.h"
)";

enum class Way { plain, checked, interpreted };

class FaultMessage : public testing::TestWithParam<Way> {
 protected:
  template <typename... Arguments>
  std::string error_of(ErrorCode code, const char* kernel, const LaunchOptions& options,
                       const Arguments&... arguments) {
    try {
      runtime_.launch(module_.kernel(kernel), options, arguments...).wait();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "no error";
  }
  static RuntimeOptions options(Way way) {
    return {.devices = way == Way::interpreted ? "interp" : "cpu", .check = way == Way::checked, .workers = 2};
  }

  Runtime runtime_{options(GetParam())};
  Module module_ = runtime_.load_ptx(source);
};

TEST_P(FaultMessage, ForgottenDynamicSharedMemory) {
  const std::string error = error_of(ErrorCode::kernel_fault, "forgotten", {.block = {32}});
  EXPECT_THAT(error, AllOf(HasSubstr("/home/ren\xc3\xa9/k.cu:5"), HasSubstr("shared memory"),
                           HasSubstr("the kernel uses dynamic shared memory, and the launch gave it 0 bytes"),
                           Not(HasSubstr("null pointer"))));
}

TEST_P(FaultMessage, ForgottenDynamicSharedMemoryThroughAPointer) {
  const std::string error = error_of(ErrorCode::kernel_fault, "forgotten_generic", {.block = {32}});
  if (GetParam() == Way::plain) {
    EXPECT_THAT(error, HasSubstr("dynamic shared memory, and the launch gave it 0 bytes"));
  }
}

TEST_P(FaultMessage, OneByteAndTheLineNearIt) {
  Array<std::uint8_t> data = runtime_.array<std::uint8_t>(1);
  const std::uint64_t offset = GetParam() == Way::plain ? std::uint64_t{1} << 30 : 1;
  const std::string error = error_of(ErrorCode::kernel_fault, "byte_past", {}, data, offset);
  EXPECT_THAT(error, AllOf(HasSubstr("near /home/ren\xc3\xa9/k.cu:4"), Not(HasSubstr("1 bytes")),
                           Not(HasSubstr("at near")), Not(HasSubstr("k.cu:0"))));
  if (GetParam() != Way::plain) {
    EXPECT_THAT(error, AllOf(HasSubstr(" 1 byte "), HasSubstr("allocation of 1 byte at")));
  }
}

// What lies that far from a stack differs from run to run, and may be memory that can be read.
TEST_P(FaultMessage, LocalMemoryIsNoAllocation) {
  Array<int> out = runtime_.array<int>(1);
  int faults = 0;
  for (std::uint32_t far = 1; far < 16; ++far) {
    const std::string error = error_of(ErrorCode::kernel_fault, "far_local", {}, far << 28, out);
    if (error == "no error") continue;
    ++faults;
    EXPECT_THAT(error, AllOf(HasSubstr("local"), Not(HasSubstr("allocation")), Not(HasSubstr("variable '"))));
  }
  EXPECT_GT(faults, 0);
}

TEST_P(FaultMessage, FunctionsSayWhereTheyAreCalled) {
  EXPECT_THAT(error_of(ErrorCode::kernel_fault, "in_function", {}),
              AllOf(HasSubstr("/opt/heddle/barrier.h:35"), HasSubstr("k.cu:8"), HasSubstr("called at")));
}

TEST_P(FaultMessage, WaitsInHeddlesOwnFunctionsAreNamedByTheirCall) {
  ::setenv("HEDDLE_DEADLOCK_MS", "300", 1);
  Runtime runtime(options(GetParam()));
  ::unsetenv("HEDDLE_DEADLOCK_MS");
  Array<int> flag = runtime.array<int>(1);
  std::string error = "no error";
  try {
    runtime.launch(runtime.load_ptx(source).kernel("waits"), {}, flag).wait();
  } catch (const Error& thrown) {
    EXPECT_EQ(thrown.code(), ErrorCode::deadlock);
    error = thrown.what();
  }
  EXPECT_THAT(error, HasSubstr("k.cu:12"));
  if (GetParam() != Way::interpreted) {
    EXPECT_THAT(error, HasSubstr("loops at /home/ren\xc3\xa9/k.cu:12, in '__heddle"));
  }
}

TEST_P(FaultMessage, LanesOutsideTheirMemberMask) {
  Array<int> out = runtime_.array<int>(32);
  if (GetParam() == Way::plain) return;
  EXPECT_EQ(error_of(ErrorCode::kernel_fault, "outside_mask", {.block = {16}}, out), "no error");
  EXPECT_THAT(error_of(ErrorCode::kernel_fault, "outside_mask", {.block = {32}}, out),
              AllOf(HasSubstr("lane 16 "), HasSubstr("thread (16, 0, 0)"), HasSubstr("the member mask 0x0000ffff"),
                    HasSubstr("k.cu:18")));
}

TEST_P(FaultMessage, ModulesOf32BitsAreRefused) {
  Module narrow = runtime_.load_ptx(".version 8.0 .target sm_80 .address_size 32 .visible .entry k() { ret; }");
  try {
    runtime_.launch(narrow.kernel("k"), {}).wait();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("addresses of 32 bits"));
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, FaultMessage, testing::Values(Way::plain, Way::checked, Way::interpreted),
                         [](const auto& way) {
                           return way.param == Way::plain ? "cpu" : way.param == Way::checked ? "cpu_check" : "interp";
                         });

}  // namespace
}  // namespace heddle::tests
