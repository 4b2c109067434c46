// For tests of the driver API: a device, a context, and PTX to load.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuda_api/abi/driver.hpp"

namespace heddle::tests {

#define EXPECT_CUDA(call) EXPECT_EQ(call, CUDA_SUCCESS)
#define ASSERT_CUDA(call) ASSERT_EQ(call, CUDA_SUCCESS)

// A context of its own for each test.
class Driver : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CUDA(cuInit(0));
    ASSERT_CUDA(cuDeviceGet(&device, 0));
    ASSERT_CUDA(cuCtxCreate_v2(&context, 0, device));
  }
  void TearDown() override {
    cuCtxDestroy_v2(context);
    for (CUcontext left = nullptr; cuCtxGetCurrent(&left) == CUDA_SUCCESS && left;) cuCtxPopCurrent_v2(nullptr);
  }

  CUmodule load(const std::string& ptx) {
    CUmodule module = nullptr;
    EXPECT_CUDA(cuModuleLoadData(&module, ptx.c_str()));
    return module;
  }
  static CUfunction function(CUmodule module, const char* name) {
    CUfunction found = nullptr;
    EXPECT_CUDA(cuModuleGetFunction(&found, module, name));
    return found;
  }
  static CUdeviceptr allocate(std::size_t bytes) {
    CUdeviceptr p = 0;
    EXPECT_CUDA(cuMemAlloc_v2(&p, bytes));
    return p;
  }
  static std::vector<unsigned> read(CUdeviceptr p, std::size_t count) {
    std::vector<unsigned> values(count, 0xDEADBEEF);
    EXPECT_CUDA(cuMemcpyDtoH_v2(values.data(), p, count * sizeof(unsigned)));
    return values;
  }

  CUdevice device = -1;
  CUcontext context = nullptr;
};

// add(u32* p, u32 value): p[i] += value for the threads of one block. And a variable u32 counter[4] = {1, 2, 3}.
extern const char* const add_ptx;

}  // namespace heddle::tests
