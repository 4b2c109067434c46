// Starting up, devices, contexts and error names.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "cuda_api/driver_support.hpp"

namespace heddle::tests {
namespace {

using DriverContext = Driver;

// Python's multiprocessing forks. The threads that work for the parent are not in the child.
TEST_F(DriverContext, CallsInAForkedChildFailAndDoNotWait) {
  const CUdeviceptr p = allocate(4);
  EXPECT_CUDA(cuMemsetD32_v2(p, 7, 1));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    unsigned value = 0;
    CUcontext current = nullptr;
    const bool failed = cuMemcpyDtoH_v2(&value, p, 4) == CUDA_ERROR_NOT_INITIALIZED &&
                        cuCtxGetCurrent(&current) == CUDA_ERROR_NOT_INITIALIZED &&
                        cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
    ::_exit(failed ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(read(p, 1), std::vector<unsigned>{7});
}

TEST_F(DriverContext, DevicesSayWhatTheyAre) {
  int count = 0, version = 0;
  ASSERT_CUDA(cuDeviceGetCount(&count));
  ASSERT_EQ(count, 1);
  ASSERT_CUDA(cuDriverGetVersion(&version));
  EXPECT_EQ(version, 13040);
  char name[256] = {}, two[3] = {};
  ASSERT_CUDA(cuDeviceGetName(name, sizeof name, device));
  EXPECT_GT(std::strlen(name), 3u);
  ASSERT_CUDA(cuDeviceGetName(two, sizeof two, device));
  EXPECT_EQ(std::strlen(two), 2u);
  std::size_t bytes = 0;
  ASSERT_CUDA(cuDeviceTotalMem_v2(&bytes, device));
  EXPECT_GT(bytes, std::size_t{64} << 20);
  int warp = 0, threads = 0, major = 0;
  ASSERT_CUDA(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  EXPECT_EQ(warp, 32);
  ASSERT_CUDA(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
  EXPECT_EQ(threads, 1024);
  ASSERT_CUDA(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  EXPECT_GE(major, 5);
  EXPECT_EQ(cuDeviceGetAttribute(&major, static_cast<CUdevice_attribute>(100000), device), CUDA_ERROR_INVALID_VALUE);
  CUdevice none = 7;
  EXPECT_EQ(cuDeviceGet(&none, 7), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(none, 7);
  EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, 7), CUDA_ERROR_INVALID_DEVICE);
  CUuuid one = {}, again = {};
  ASSERT_CUDA(cuDeviceGetUuid(&one, device));
  ASSERT_CUDA(cuDeviceGetUuid_v2(&again, device));
  EXPECT_EQ(std::memcmp(&one, &again, sizeof one), 0);
}

TEST_F(DriverContext, LimitsAreThoseOfTheRuntime) {
  std::size_t value = 0;
  ASSERT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 8192), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 8192u);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH), CUDA_ERROR_UNSUPPORTED_LIMIT);
  EXPECT_EQ(cuCtxGetLimit(&value, static_cast<CUlimit>(99)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverContext, BusIdsLeadBackToTheDevice) {
  char id[32] = {};
  ASSERT_CUDA(cuDeviceGetPCIBusId(id, sizeof id, device));
  CUdevice found = -1;
  ASSERT_CUDA(cuDeviceGetByPCIBusId(&found, id));
  EXPECT_EQ(found, device);
  EXPECT_EQ(cuDeviceGetByPCIBusId(&found, "7777:77:00.0"), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetPCIBusId(id, 5, device), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverContext, ContextsAreAStack) {
  CUcontext current = nullptr, second = nullptr, popped = nullptr;
  ASSERT_CUDA(cuCtxGetCurrent(&current));
  EXPECT_EQ(current, context);
  ASSERT_CUDA(cuCtxCreate_v2(&second, CU_CTX_SCHED_SPIN, device));
  EXPECT_NE(second, context);
  ASSERT_CUDA(cuCtxGetCurrent(&current));
  EXPECT_EQ(current, second);
  unsigned flags = 0, version = 0;
  ASSERT_CUDA(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_SPIN});
  ASSERT_CUDA(cuCtxGetApiVersion(second, &version));
  EXPECT_EQ(version, 3020u);
  ASSERT_CUDA(cuCtxPushCurrent_v2(context));
  ASSERT_CUDA(cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(popped, context);
  ASSERT_CUDA(cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(popped, second);
  ASSERT_CUDA(cuCtxSetCurrent(second));
  ASSERT_CUDA(cuCtxGetCurrent(&current));
  EXPECT_EQ(current, second);
  ASSERT_CUDA(cuCtxDestroy_v2(second));  // and so none is current
  ASSERT_CUDA(cuCtxGetCurrent(&current));
  EXPECT_EQ(current, nullptr);
  CUdeviceptr p = 0;
  EXPECT_EQ(cuMemAlloc_v2(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxSetCurrent(second), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy_v2(second), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxCreate_v2(&second, 0x80000000u, device), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverContext, WhatAContextHoldsEndsWithIt) {
  CUcontext second = nullptr;
  ASSERT_CUDA(cuCtxCreate_v2(&second, 0, device));
  const CUdeviceptr p = allocate(64);
  const CUmodule module = load(add_ptx);
  CUstream stream = nullptr;
  ASSERT_CUDA(cuStreamCreate(&stream, 0));
  ASSERT_CUDA(cuCtxDestroy_v2(second));
  ASSERT_CUDA(cuCtxSetCurrent(context));
  CUdeviceptr base = 0;
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, nullptr, p), CUDA_ERROR_NOT_FOUND);
  CUfunction f = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&f, module, "add"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverContext, VariablesAreEachContextsOwn) {
  CUcontext second = nullptr;
  const CUmodule first_module = load(add_ptx);
  ASSERT_CUDA(cuCtxCreate_v2(&second, 0, device));
  const CUmodule second_module = load(add_ptx);
  CUdeviceptr one = 0, two = 0;
  std::size_t size = 0;
  ASSERT_CUDA(cuModuleGetGlobal_v2(&two, &size, second_module, "counter"));
  EXPECT_EQ(size, 16u);
  ASSERT_CUDA(cuModuleGetGlobal_v2(&one, nullptr, first_module, "counter"));
  EXPECT_NE(one, two);
  // A function runs in the context of its module only.
  unsigned value = 5;
  void* arguments[] = {&value};
  const CUfunction mine = function(second_module, "add_counter"), other = function(first_module, "add_counter");
  EXPECT_CUDA(cuLaunchKernel(mine, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(cuLaunchKernel(other, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(read(two, 3), (std::vector<unsigned>{6, 2, 3}));
  EXPECT_EQ(read(one, 3), (std::vector<unsigned>{1, 2, 3}));
  ASSERT_CUDA(cuCtxDestroy_v2(second));
}

TEST_F(DriverContext, ThreadsHaveTheirOwnStacks) {
  std::thread([&] {
    CUcontext current = context;
    EXPECT_CUDA(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, nullptr);
    CUdeviceptr p = 0;
    EXPECT_EQ(cuMemAlloc_v2(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_CUDA(cuCtxSetCurrent(context));
    EXPECT_CUDA(cuMemAlloc_v2(&p, 4));
    EXPECT_CUDA(cuMemFree_v2(p));
  }).join();
  // One that another thread ends is gone here too.
  CUcontext second = nullptr;
  ASSERT_CUDA(cuCtxCreate_v2(&second, 0, device));
  std::thread([&] { EXPECT_CUDA(cuCtxDestroy_v2(second)); }).join();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(DriverContext, PrimaryContextsAreCounted) {
  unsigned flags = 0;
  int active = -1;
  CUcontext one = nullptr, two = nullptr;
  ASSERT_CUDA(cuDevicePrimaryCtxRetain(&one, device));
  ASSERT_CUDA(cuDevicePrimaryCtxRetain(&two, device));
  EXPECT_EQ(one, two);
  EXPECT_NE(one, context);
  ASSERT_CUDA(cuDevicePrimaryCtxGetState(device, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_EQ(cuCtxDestroy_v2(one), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_CUDA(cuCtxPushCurrent_v2(one));
  CUdevice of = -1;
  ASSERT_CUDA(cuCtxGetDevice(&of));
  EXPECT_EQ(of, device);
  ASSERT_CUDA(cuCtxPopCurrent_v2(nullptr));
  ASSERT_CUDA(cuDevicePrimaryCtxRelease_v2(device));
  ASSERT_CUDA(cuDevicePrimaryCtxRelease_v2(device));
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(device), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(DriverContext, ErrorsHaveNamesAndTexts) {
  const char *name = nullptr, *text = nullptr;
  ASSERT_CUDA(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &name));
  EXPECT_STREQ(name, "CUDA_ERROR_INVALID_CONTEXT");
  ASSERT_CUDA(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
  EXPECT_STREQ(text, "invalid device context");
  ASSERT_CUDA(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr);
}

TEST_F(DriverContext, WhatIsNotSupportedSaysSo) {
  testing::internal::CaptureStderr();
  CUipcMemHandle handle;
  EXPECT_EQ(cuIpcGetMemHandle(&handle, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuCtxCreate_v3(&context, nullptr, 1, 0, device), CUDA_ERROR_NOT_SUPPORTED);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("cuIpcGetMemHandle"), std::string::npos) << told;
}

}  // namespace
}  // namespace heddle::tests
