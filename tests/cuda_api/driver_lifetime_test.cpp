// Contexts, libraries and textures that end while kernels use them: what was launched runs to its end first.
#include <gtest/gtest.h>

#include "cuda_api/driver_support.hpp"

namespace heddle::tests {
namespace {

using DriverLifetime = Driver;

// add_slowly(u32* p): takes a millisecond; then p[0] += step, a variable that is 5.
constexpr const char* slow_ptx = R"(
.version 7.8
.target sm_80
.address_size 64
.global .align 4 .u32 step = 5;
.visible .entry add_slowly(.param .u64 p) {
  .reg .pred %q;
  .reg .u32 %r<3>;
  .reg .u64 %d<5>;
  ld.param.u64 %d1, [p];
  mov.u64 %d2, %globaltimer;
wait:
  mov.u64 %d3, %globaltimer;
  sub.u64 %d4, %d3, %d2;
  setp.lt.u64 %q, %d4, 1000000;
  @%q bra wait;
  ld.global.u32 %r1, [step];
  ld.global.u32 %r2, [%d1];
  add.u32 %r2, %r2, %r1;
  st.global.u32 [%d1], %r2;
  ret;
}
)";

constexpr int rounds = 10, launches = 5;

void launch(CUfunction function, CUdeviceptr p, CUstream stream) {
  void* arguments[] = {&p};
  for (int i = 0; i < launches; ++i)
    ASSERT_CUDA(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

TEST_F(DriverLifetime, AContextEndsAfterItsKernels) {
  for (int round = 0; round < rounds; ++round) {
    CUcontext own = nullptr;
    ASSERT_CUDA(cuCtxCreate_v2(&own, 0, device));
    CUstream stream = nullptr;
    ASSERT_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    const CUdeviceptr p = allocate(4);
    ASSERT_CUDA(cuMemsetD32_v2(p, 0, 1));
    launch(function(load(slow_ptx), "add_slowly"), p, stream);
    ASSERT_CUDA(cuCtxDestroy_v2(own));
  }
}

TEST_F(DriverLifetime, ADevicesContextEndsAfterItsKernels) {
  for (int round = 0; round < rounds; ++round) {
    CUcontext primary = nullptr;
    ASSERT_CUDA(cuDevicePrimaryCtxRetain(&primary, device));
    ASSERT_CUDA(cuCtxPushCurrent_v2(primary));
    const CUdeviceptr p = allocate(4);
    ASSERT_CUDA(cuMemsetD32_v2(p, 0, 1));
    launch(function(load(slow_ptx), "add_slowly"), p, nullptr);
    ASSERT_CUDA(cuCtxPopCurrent_v2(nullptr));
    if (round % 2 == 0) {
      ASSERT_CUDA(cuDevicePrimaryCtxReset_v2(device));
    }
    ASSERT_CUDA(cuDevicePrimaryCtxRelease_v2(device));
  }
}

// Its kernels are launched without a module of the context.
TEST_F(DriverLifetime, ALibraryIsUnloadedAfterItsKernels) {
  CUstream stream = nullptr;
  ASSERT_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUdeviceptr p = allocate(4);
  ASSERT_CUDA(cuMemsetD32_v2(p, 0, 1));
  for (int round = 0; round < rounds; ++round) {
    CUlibrary library = nullptr;
    ASSERT_CUDA(cuLibraryLoadData(&library, slow_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUkernel kernel = nullptr;
    ASSERT_CUDA(cuLibraryGetKernel(&kernel, library, "add_slowly"));
    launch(reinterpret_cast<CUfunction>(kernel), p, stream);
    ASSERT_CUDA(cuLibraryUnload(library));
  }
  EXPECT_EQ(read(p, 1), std::vector<unsigned>{rounds * launches * 5});
}

}  // namespace
}  // namespace heddle::tests
