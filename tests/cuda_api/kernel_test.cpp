// Kernels: their attributes, launches in all forms, occupancy, libraries; and devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cuda_api/cudart.hpp"

namespace heddle::tests {
namespace {

using namespace cuda_api;
using testing::StartsWith;

class Kernels : public testing::Test {
 protected:
  ~Kernels() override { cudaGetLastError(); }
  int first(void* x) {
    int value = -1;
    EXPECT_EQ(cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
  }
  Program program;
};

TEST_F(Kernels, HaveAttributes) {
  abi::FunctionAttributes12 attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, program.shares()), cudaSuccess);
  EXPECT_EQ(attributes.shared, 100u);
  EXPECT_EQ(attributes.threads, 256);
  EXPECT_GT(attributes.registers, 0);
  EXPECT_EQ(attributes.ptx_version, 80);
  EXPECT_EQ(attributes.binary_version, 80);
  EXPECT_EQ(attributes.dynamic_shared, 48 * 1024 - 100);
  const char* name = nullptr;
  EXPECT_EQ(cudaFuncGetName(&name, program.shares()), cudaSuccess);
  EXPECT_STREQ(name, "shares");
  std::size_t offset = 0, size = 0;
  EXPECT_EQ(cudaFuncGetParamInfo(program.add(), 2, &offset, &size), cudaSuccess);
  EXPECT_EQ(offset, 12u);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(cudaFuncGetParamInfo(program.add(), 3, &offset, &size), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &name), cudaErrorInvalidDeviceFunction);
}

TEST_F(Kernels, SharedMemoryIsLimited) {
  const auto launch = [&](std::size_t shared, unsigned threads = 32) {
    return cudaLaunchKernel(program.shares(), {1}, {threads}, nullptr, shared, nullptr);
  };
  EXPECT_EQ(launch(48 * 1024 - 100), cudaSuccess);
  EXPECT_EQ(launch(48 * 1024 - 99), cudaErrorInvalidValue);
  int most = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&most, 97, 0), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(program.shares(), 8, most - 99), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(program.shares(), 8, most - 100), cudaSuccess);
  EXPECT_EQ(launch(most - 100), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(program.shares(), 8, 1000), cudaSuccess);
  EXPECT_EQ(launch(1001), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(program.shares(), 77, 0), cudaErrorInvalidValue);
  EXPECT_EQ(launch(0, 257), cudaErrorInvalidConfiguration);  // .maxntid
  EXPECT_EQ(cudaLaunchKernel(program.shares(), {0}, {1}, nullptr, 0, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(program.shares(), {1}, {1025}, nullptr, 0, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(program.add(), {1}, {1}, nullptr, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel(&most, {1}, {1}, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Kernels, LaunchInAllForms) {
  void *x = nullptr, *handle = nullptr;
  ASSERT_EQ(cudaMalloc(&x, 4), cudaSuccess);
  ASSERT_EQ(cudaMemset(x, 0, 4), cudaSuccess);
  std::uint32_t n = 1, value = 1;
  void* arguments[] = {&x, &n, &value};
  EXPECT_EQ(cudaLaunchKernel(program.add(), {1}, {1}, arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel_ptsz(program.add(), {1}, {1}, arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(program.add(), {1}, {1}, arguments, 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaGetKernel(&handle, program.add()), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(handle, {1}, {1}, arguments, 0, nullptr), cudaSuccess);
  abi::LaunchAttribute attributes[3] = {};
  attributes[0].id = abi::programmatic_serialization;
  attributes[1].id = abi::cluster_dimension;
  attributes[1].value.extent = {1, 1, 1};
  attributes[2].id = abi::cooperative;
  attributes[2].value.number = 1;
  abi::LaunchConfig config{{1}, {1}, 0, nullptr, attributes, 3};
  EXPECT_EQ(cudaLaunchKernelExC(&config, program.add(), arguments), cudaSuccess);
  EXPECT_EQ(first(x), 5);
  attributes[1].value.extent = {2, 1, 1};
  EXPECT_EQ(cudaLaunchKernelExC(&config, program.add(), arguments), cudaErrorNotSupported);
  attributes[1].id = 99;
  EXPECT_EQ(cudaLaunchKernelExC(&config, program.add(), arguments), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernelExC(nullptr, program.add(), arguments), cudaErrorInvalidValue);
  EXPECT_EQ(first(x), 5);
  EXPECT_EQ(cudaFree(x), cudaSuccess);
}

TEST_F(Kernels, FillSms) {
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, program.add(), 256, 0), cudaSuccess);
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, program.shares(), 32, 100 * 1024), cudaSuccess);
  EXPECT_EQ(blocks, 2);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, program.shares(), 512, 0), cudaSuccess);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, program.add(), 0, 0), cudaErrorInvalidValue);
  std::size_t shared = 0;
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, program.add(), 2, 64), cudaSuccess);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, program.add(), 64, shared), cudaSuccess);
  EXPECT_EQ(blocks, 2);
  // As many as an SM holds can be in step with each other.
  int sms = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&sms, 16, 0), cudaSuccess);
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, program.count_up(), 64, 0), cudaSuccess);
  EXPECT_EQ(
      cudaLaunchCooperativeKernel(program.count_up(), {static_cast<unsigned>(sms * blocks)}, {64}, nullptr, 0, nullptr),
      cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Kernels, ComeFromLibraries) {
  void *library = nullptr, *kernel = nullptr, *step = nullptr, *x = nullptr;
  ASSERT_EQ(cudaLibraryLoadData(&library, kernels_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
  unsigned count = 0;
  EXPECT_EQ(cudaLibraryGetKernelCount(&count, library), cudaSuccess);
  EXPECT_EQ(count, unsigned{Program::kernels});
  ASSERT_EQ(cudaLibraryGetKernel(&kernel, library, "add"), cudaSuccess);
  EXPECT_EQ(cudaLibraryGetKernel(&x, library, "ad"), cudaErrorSymbolNotFound);
  std::size_t size = 0;
  ASSERT_EQ(cudaLibraryGetGlobal(&step, &size, library, "step"), cudaSuccess);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(cudaLibraryGetGlobal(&x, &size, library, "none"), cudaErrorSymbolNotFound);
  const int ten = 10;
  EXPECT_EQ(cudaMemcpy(step, &ten, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&x, 4), cudaSuccess);
  ASSERT_EQ(cudaMemset(x, 0, 4), cudaSuccess);
  std::uint32_t n = 1, value = 3;
  void* arguments[] = {&x, &n, &value};
  EXPECT_EQ(cudaLaunchKernel(kernel, {1}, {1}, arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(first(x), 30);
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
  EXPECT_EQ(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(kernel, {1}, {1}, arguments, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaLibraryLoadData(&library, "not PTX", nullptr, nullptr, 0, nullptr, nullptr, 0), cudaErrorInvalidPtx);
  EXPECT_EQ(cudaLibraryLoadData(&library, "\177ELF", nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(cudaFree(x), cudaSuccess);
}

TEST_F(Kernels, OfAProgramThatEndedAreGone) {
  const void* stub = nullptr;
  {
    const Program other;
    stub = other.count_up();
    EXPECT_EQ(cudaLaunchKernel(stub, {1}, {1}, nullptr, 0, nullptr), cudaSuccess);
  }
  EXPECT_EQ(cudaLaunchKernel(stub, {1}, {1}, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// nvcc -rdc=true: the container has what the files became together, for some GPUs and without PTX; behind it are those
// of the files.
TEST_F(Kernels, OfFilesThatNvccLinked) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const auto caller = write_fat_binary({80, head + R"(
.extern .func (.param .b32 result) doubled(.param .b32 value);
.visible .entry first(.param .u64 to, .param .u32 value) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [value];
  cvta.to.global.u64 %rd2, %rd1;
  { .param .b32 value_of; .param .b32 result;
    st.param.b32 [value_of], %r1; call (result), doubled, (value_of); ld.param.b32 %r2, [result]; }
  st.global.u32 [%rd2], %r2;
  ret;
})"});
  const auto called = write_fat_binary({80, head + R"(
.visible .func (.param .b32 result) doubled(.param .b32 value) {
  .reg .b32 %r<3>; ld.param.b32 %r1, [value]; add.u32 %r2, %r1, %r1; st.param.b32 [result], %r2; ret;
}
.visible .entry second(.param .u64 to) {
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, 7; st.global.u32 [%rd2], %r1; ret;
})"});
  // A part of NVIDIA's library: machine code, and PTX for newer GPUs than the program's.
  const FatPtx both[] = {{80, "machine code"}, {121, head + ".visible .func newer() { ret; }"}};
  auto library = write_fat_binary(both, false);
  constexpr std::size_t kind_of_first_entry = 16;
  library[kind_of_first_entry] = std::byte{2};
  const auto whole = write_fat_binary(std::span<const FatPtx>());
  const void* files[] = {caller.data(), called.data(), library.data(), nullptr};
  struct {
    std::uint32_t magic = 0x466243b1, version = 2;
    const void* data;
    const void* const* prelinked;
  } wrapper{.data = whole.data(), .prelinked = files};
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  static char first_stub, second_stub;
  __cudaRegisterFunction(handle, &first_stub, nullptr, "first", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFunction(handle, &second_stub, nullptr, "second", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  void* x = nullptr;
  ASSERT_EQ(cudaMalloc(&x, 4), cudaSuccess);
  int value = 21;
  void* arguments[] = {&x, &value};
  EXPECT_EQ(cudaLaunchKernel(&first_stub, {1}, {1}, arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(first(x), 42);
  EXPECT_EQ(cudaLaunchKernel(&second_stub, {1}, {1}, arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(first(x), 7);
  EXPECT_EQ(cudaFree(x), cudaSuccess);
  __cudaUnregisterFatBinary(handle);
}

TEST_F(Kernels, RunFromManyThreads) {
  constexpr int threads = 16, times = 50, n = 256;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      cudaStream_t stream = nullptr;
      cudaEvent_t event = nullptr;
      void* x = nullptr;
      ASSERT_EQ(t % 2 ? cudaStreamCreate(&stream) : cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                cudaSuccess);
      if (t % 4 == 3) stream = cudaStreamPerThread;
      ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
      ASSERT_EQ(cudaMallocAsync(&x, n * 4, stream), cudaSuccess);
      std::vector<int> back(n);
      ASSERT_EQ(cudaMemcpyAsync(x, back.data(), n * 4, cudaMemcpyHostToDevice, stream), cudaSuccess);
      for (int i = 0; i < times; ++i) {
        ASSERT_EQ(program.launch_add(x, n, t, stream), cudaSuccess);
        if (i % 10 == 0) {
          ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
          ASSERT_EQ(cudaStreamWaitEvent(nullptr, event, 0), cudaSuccess);
        }
      }
      ASSERT_EQ(cudaMemcpyAsync(back.data(), x, n * 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
      ASSERT_EQ(cudaFreeAsync(x, stream), cudaSuccess);
      if (stream != cudaStreamPerThread) {
        ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
      }
      ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
      for (const int value : back) ASSERT_EQ(value, t * times);
    });
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(Devices, AreDescribed) {
  abi::Properties11 old{};
  abi::Properties12 now{};
  ASSERT_EQ(cudaGetDeviceProperties(&old, 0), cudaSuccess);
  ASSERT_EQ(cudaGetDeviceProperties_v2(&now, 0), cudaSuccess);
  EXPECT_EQ(std::memcmp(&old, &now, sizeof old), 0);
  EXPECT_THAT(now.name, StartsWith("Heddle CPU ("));
  EXPECT_EQ(now.major, 8);
  EXPECT_EQ(now.warpSize, 32);
  EXPECT_EQ(now.maxThreadsPerBlock, 1024);
  EXPECT_EQ(now.maxGridSize[0], 2147483647);
  EXPECT_EQ(now.maxThreadsDim[2], 64);
  EXPECT_EQ(now.sharedMemPerBlock, 48u * 1024);
  EXPECT_GE(now.sharedMemPerBlockOptin, 163u * 1024);
  EXPECT_EQ(now.managedMemory, 1);
  EXPECT_EQ(now.memoryPoolsSupported, 1);
  EXPECT_EQ(now.clusterLaunch, 0);
  EXPECT_GT(now.clockRate, 100000);
  EXPECT_GT(now.totalGlobalMem, 1u << 20);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, 16, 0), cudaSuccess);
  EXPECT_EQ(value, now.multiProcessorCount);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, 0, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, 5000, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, 1, 7), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDeviceProperties(&old, -1), cudaErrorInvalidDevice);
  value = 9;
  EXPECT_EQ(cudaChooseDevice(&value, &old), cudaSuccess);
  EXPECT_EQ(value, 0);
  char id[16] = {};
  EXPECT_EQ(cudaDeviceGetPCIBusId(id, 12, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetPCIBusId(id, 16, 0), cudaSuccess);
  value = 9;
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&value, id), cudaSuccess);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&value, "0000:7f:1f.0"), cudaErrorInvalidDevice);
  cudaGetLastError();
}

TEST(Devices, KeepLimitsUntilReset) {
  std::size_t before = 0, value = 0;
  ASSERT_EQ(cudaDeviceGetLimit(&before, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, before * 2), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(value, before * 2);
  EXPECT_EQ(cudaDeviceSetLimit(99, 1), cudaErrorInvalidValue);
  // A hint, cut to what there is.
  int most = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&most, 108, 0), cudaSuccess);
  EXPECT_GT(most, 0);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize), cudaSuccess);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, std::size_t{1} << 40), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize), cudaSuccess);
  EXPECT_EQ(value, static_cast<std::size_t>(most));
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 1), cudaErrorUnsupportedLimit);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(value, before);
  int can = 1;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 0), cudaSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  cudaGetLastError();
}

}  // namespace
}  // namespace heddle::tests
