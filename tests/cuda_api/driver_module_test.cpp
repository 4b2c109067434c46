// Modules, libraries, functions and launches.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "cuda_api/driver_support.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using DriverModule = Driver;

// Host code of libraries chooses its launches by the device's capability, 8.0: code for newer GPUs does not fit them.
TEST_F(DriverModule, TheCodeIsThatOfTheReportedCapability) {
  const auto kernel = [](unsigned arch) {
    return cuda_api::FatPtx{arch, ".version 8.6\n.target sm_" + std::to_string(arch) +
                                      "\n.address_size 64\n.visible .entry for_" + std::to_string(arch) +
                                      "() { ret; }\n"};
  };
  const std::vector<cuda_api::FatPtx> all{kernel(60), kernel(75), kernel(90), kernel(100)};
  CUmodule module = nullptr;
  ASSERT_CUDA(cuModuleLoadFatBinary(&module, cuda_api::write_fat_binary(all).data()));
  const CUfunction found = function(module, "for_75");
  int version = 0;
  EXPECT_CUDA(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, found));
  EXPECT_EQ(version, 75);
  ASSERT_CUDA(cuModuleLoadFatBinary(&module, cuda_api::write_fat_binary(std::span(all).subspan(2)).data()));
  function(module, "for_90");
}

TEST_F(DriverModule, KernelsRun) {
  const CUmodule module = load(add_ptx);
  const CUfunction add = function(module, "add");
  CUdeviceptr p = allocate(16);
  EXPECT_CUDA(cuMemsetD32_v2(p, 10, 4));
  unsigned value = 5;
  void* arguments[] = {&p, &value};
  EXPECT_CUDA(cuLaunchKernel(add, 1, 1, 1, 3, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(read(p, 4), (std::vector<unsigned>{15, 15, 15, 10}));

  // The same in a packed buffer.
  struct {
    CUdeviceptr p;
    unsigned value;
  } packed = {p, 100};
  std::size_t size = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  EXPECT_CUDA(cuLaunchKernel(add, 1, 1, 1, 2, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(read(p, 4), (std::vector<unsigned>{115, 115, 15, 10}));
  size = 8;
  EXPECT_EQ(cuLaunchKernel(add, 1, 1, 1, 2, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);

  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, nullptr, &attribute, 1};
  EXPECT_CUDA(cuLaunchKernelEx(&config, add, arguments, nullptr));
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {2, 1, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, add, arguments, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_CUDA(cuLaunchCooperativeKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments));
  EXPECT_EQ(read(p, 2), (std::vector<unsigned>{125, 115}));
  EXPECT_EQ(cuLaunchKernel(add, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverModule, FunctionsOfBeforeCuda4Run) {
  const CUfunction add = function(load(add_ptx), "add");
  CUdeviceptr p = allocate(16);
  EXPECT_CUDA(cuMemsetD32_v2(p, 0, 4));
  EXPECT_CUDA(cuFuncSetBlockShape(add, 4, 1, 1));
  EXPECT_CUDA(cuParamSetSize(add, 12));
  EXPECT_CUDA(cuParamSetv(add, 0, &p, sizeof p));
  EXPECT_CUDA(cuParamSeti(add, 8, 3));
  EXPECT_CUDA(cuLaunchGrid(add, 1, 1));
  EXPECT_CUDA(cuLaunch(add));
  EXPECT_EQ(read(p, 4), (std::vector<unsigned>{6, 6, 6, 6}));
  EXPECT_CUDA(cuParamSetSize(add, 4));
  EXPECT_EQ(cuLaunch(add), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverModule, NamesThatAreNotThereAreNotFound) {
  const CUmodule module = load(add_ptx);
  CUfunction none = nullptr;
  CUdeviceptr p = 0;
  EXPECT_EQ(cuModuleGetFunction(&none, module, "ad"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetGlobal_v2(&p, nullptr, module, "add"), CUDA_ERROR_NOT_FOUND);
  unsigned count = 0;
  EXPECT_CUDA(cuModuleGetFunctionCount(&count, module));
  ASSERT_EQ(count, 2u);
  CUfunction both[2] = {};
  EXPECT_CUDA(cuModuleEnumerateFunctions(both, 2, module));
  const char* name = nullptr;
  EXPECT_CUDA(cuFuncGetName(&name, both[1]));
  EXPECT_STREQ(name, "add_counter");
  CUmodule of = nullptr;
  EXPECT_CUDA(cuFuncGetModule(&of, both[0]));
  EXPECT_EQ(of, module);
}

TEST_F(DriverModule, HandlesThatAreNoneAreFound) {
  const CUmodule module = load(add_ptx);
  const CUfunction add = function(module, "add");
  EXPECT_CUDA(cuModuleUnload(module));
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  int value = 0;
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, reinterpret_cast<CUfunction>(&value)),
            CUDA_ERROR_INVALID_HANDLE);
  for (const std::uintptr_t number : {std::uintptr_t{3}, std::uintptr_t{0xdeadbeefdeadbeef}, ~std::uintptr_t{0},
                                      reinterpret_cast<std::uintptr_t>(&value)}) {
    CUfunction found = nullptr;
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    EXPECT_EQ(cuModuleGetFunction(&found, reinterpret_cast<CUmodule>(number), "add"), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuModuleGetGlobal_v2(&address, &bytes, reinterpret_cast<CUmodule>(number), "x"),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuModuleUnload(reinterpret_cast<CUmodule>(number)), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(number), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuStreamSynchronize(reinterpret_cast<CUstream>(number)), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuEventSynchronize(reinterpret_cast<CUevent>(number)), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuEventDestroy_v2(reinterpret_cast<CUevent>(number)), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuCtxSetCurrent(reinterpret_cast<CUcontext>(number)), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuLibraryUnload(reinterpret_cast<CUlibrary>(number)), CUDA_ERROR_INVALID_HANDLE);
  }
}

TEST_F(DriverModule, FunctionsSayWhatTheyTake) {
  const CUfunction add = function(load(add_ptx), "add");
  int value = 0;
  EXPECT_CUDA(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add));
  EXPECT_EQ(value, 1024);
  EXPECT_CUDA(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, add));
  EXPECT_EQ(value, 80);
  EXPECT_CUDA(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, add));
  EXPECT_EQ(value, 0);
  EXPECT_CUDA(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 << 10));
  EXPECT_CUDA(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, add));
  EXPECT_EQ(value, 64 << 10);
  EXPECT_EQ(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE);
  std::size_t offset = 0, size = 0;
  EXPECT_CUDA(cuFuncGetParamInfo(add, 1, &offset, &size));
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(cuFuncGetParamInfo(add, 2, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  int blocks = 0, grid = 0, block = 0;
  EXPECT_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0));
  EXPECT_GT(blocks, 0);
  EXPECT_CUDA(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, nullptr, 0, 256));
  EXPECT_EQ(block, 256);
  EXPECT_GT(grid, 0);
}

// What programs choose their launches by must be what launches allow.
TEST_F(DriverModule, LaunchBoundsLimitBlocks) {
  constexpr const char* text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() .maxntid 256, 1, 1 { ret; }\n";
  const CUfunction bounded = function(load(text), "k");
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_CUDA(cuLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_CUDA(cuLibraryGetKernel(&kernel, library, "k"));
  int threads = 0, grid = 0, block = 0, blocks = -1;
  EXPECT_CUDA(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded));
  EXPECT_EQ(threads, 256);
  EXPECT_CUDA(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, device));
  EXPECT_EQ(threads, 256);
  EXPECT_CUDA(cuOccupancyMaxPotentialBlockSize(&grid, &block, bounded, nullptr, 0, 0));
  EXPECT_EQ(block, 256);
  EXPECT_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 512, 0));
  EXPECT_EQ(blocks, 0);
  EXPECT_CUDA(cuLaunchKernel(bounded, 1, 1, 1, 256, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_EQ(cuLaunchKernel(bounded, 1, 1, 1, 257, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuLibraryUnload(library));
}

// However many registers the estimate from the PTX gives it, a block that it may have has room on an SM.
TEST_F(DriverModule, LaunchBoundsLimitRegisters) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a) .maxntid 512, 1, 1 {"
      "\n.reg .f32 %f<200>; .reg .b64 %d; ld.param.u64 %d, [a];\n";
  for (int i = 0; i < 200; ++i)
    text += "ld.volatile.global.f32 %f" + std::to_string(i) + ", [%d+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < 200; ++i)
    text += "st.volatile.global.f32 [%d+" + std::to_string(4 * (199 - i)) + "], %f" + std::to_string(i) + ";\n";
  const CUfunction bounded = function(load(text + "ret; }\n"), "k");
  int blocks = -1, registers = 0;
  EXPECT_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 512, 0));
  EXPECT_EQ(blocks, 1);
  EXPECT_CUDA(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, bounded));
  EXPECT_EQ(registers, 128);
}

TEST_F(DriverModule, WhatIsWrongWithCodeGoesToTheLog) {
  char errors[200] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof errors), reinterpret_cast<void*>(3)};
  CUmodule module = nullptr;
  const char* const wrong = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { blah; }\n";
  EXPECT_EQ(cuModuleLoadDataEx(&module, wrong, 3, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(errors).find(":4:"), std::string::npos) << errors;
  EXPECT_NE(std::string(errors).find("blah"), std::string::npos) << errors;
  EXPECT_EQ(reinterpret_cast<std::size_t>(values[1]), std::strlen(errors));
  values[1] = reinterpret_cast<void*>(std::size_t{10});  // as much as fits
  EXPECT_EQ(cuModuleLoadDataEx(&module, wrong, 3, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::strlen(errors), 9u);
  options[2] = static_cast<CUjit_option>(1000);
  EXPECT_EQ(cuModuleLoadDataEx(&module, add_ptx, 3, options, values), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverModule, CodeComesInManyShapes) {
  CUmodule module = nullptr;
  const char cubin[] =
      "\x7f"
      "ELF what follows is not looked at";
  EXPECT_EQ(cuModuleLoadData(&module, cubin), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuModuleLoadData(&module, "\x01\x02\x03"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  const std::vector<std::byte> fat = cuda_api::write_fat_binary({80, add_ptx});
  EXPECT_CUDA(cuModuleLoadData(&module, fat.data()));
  function(module, "add");
  EXPECT_CUDA(cuModuleLoadFatBinary(&module, fat.data()));
  function(module, "add");
  // What nvcc -rdc=true registers: the files' PTX is behind the container.
  const std::vector<std::byte> other = cuda_api::write_fat_binary(
      {80, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry other() { ret; }\n"});
  const std::vector<std::byte> whole = cuda_api::write_fat_binary(std::span<const cuda_api::FatPtx>());
  const void* const files[] = {other.data(), fat.data(), nullptr};
  const struct {
    std::uint32_t magic = 0x466243b1, version = 2;
    const void* data;
    const void* const* prelinked;
  } wrapper{.data = whole.data(), .prelinked = files};
  EXPECT_CUDA(cuModuleLoadFatBinary(&module, &wrapper));
  function(module, "add");
  function(module, "other");
  const TemporaryFolder folder;
  const std::string file = folder.path() / "add.ptx";
  std::FILE* out = std::fopen(file.c_str(), "w");
  ASSERT_TRUE(out);
  std::fputs(add_ptx, out);
  std::fclose(out);
  EXPECT_CUDA(cuModuleLoad(&module, file.c_str()));
  function(module, "add");
  EXPECT_EQ(cuModuleLoad(&module, (folder.path() / "none.ptx").c_str()), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(DriverModule, LibrariesServeAllContexts) {
  CUlibrary library = nullptr;
  ASSERT_CUDA(cuLibraryLoadData(&library, add_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  EXPECT_CUDA(cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 2u);
  CUkernel kernel = nullptr, all[2] = {};
  ASSERT_CUDA(cuLibraryGetKernel(&kernel, library, "add_counter"));
  EXPECT_CUDA(cuLibraryEnumerateKernels(all, 2, library));
  EXPECT_EQ(all[1], kernel);
  const char* name = nullptr;
  EXPECT_CUDA(cuKernelGetName(&name, kernel));
  EXPECT_STREQ(name, "add_counter");
  CUlibrary of = nullptr;
  EXPECT_CUDA(cuKernelGetLibrary(&of, kernel));
  EXPECT_EQ(of, library);
  int value = 0;
  EXPECT_CUDA(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, device));
  EXPECT_EQ(value, 1024);
  CUcontext second = nullptr;
  for (CUcontext* made : {&second, static_cast<CUcontext*>(nullptr)}) {
    if (made) {
      ASSERT_CUDA(cuCtxCreate_v2(made, 0, device));
    }
    unsigned add = made ? 10 : 20;
    void* arguments[] = {&add};
    // A kernel is taken for a function.
    EXPECT_CUDA(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT_CUDA(cuCtxSynchronize());
    CUdeviceptr p = 0;
    EXPECT_CUDA(cuLibraryGetGlobal(&p, nullptr, library, "counter"));
    EXPECT_EQ(read(p, 1), std::vector<unsigned>{1 + add});
    if (made) {
      ASSERT_CUDA(cuCtxDestroy_v2(second));
      ASSERT_CUDA(cuCtxSetCurrent(context));
    }
  }
  CUmodule module = nullptr;
  EXPECT_CUDA(cuLibraryGetModule(&module, library));
  function(module, "add");
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
  CUfunction f = nullptr;
  EXPECT_CUDA(cuKernelGetFunction(&f, kernel));
  EXPECT_CUDA(cuLibraryUnload(library));
  EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuKernelGetName(&name, kernel), CUDA_ERROR_INVALID_HANDLE);
}

// NVIDIA's runtime loads a program's managed variables before there is a context.
TEST_F(DriverModule, LibrariesNeedNoContext) {
  ASSERT_CUDA(cuCtxSetCurrent(nullptr));
  CUlibrary library = nullptr;
  ASSERT_CUDA(cuLibraryLoadData(&library, add_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  EXPECT_CUDA(cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 2u);
  CUkernel all[2] = {}, kernel = nullptr;
  EXPECT_CUDA(cuLibraryEnumerateKernels(all, 2, library));
  EXPECT_CUDA(cuLibraryGetKernel(&kernel, library, "add_counter"));
  EXPECT_EQ(all[1], kernel);
  std::size_t offset = 1;
  EXPECT_CUDA(cuKernelGetParamInfo(kernel, 0, &offset, nullptr));
  EXPECT_EQ(offset, 0u);
  CUdeviceptr counter = 0, other = 0;
  ASSERT_CUDA(cuLibraryGetManaged(&counter, nullptr, library, "counter"));
  EXPECT_EQ(*reinterpret_cast<unsigned*>(counter), 1u);
  // These are of a context.
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_EQ(cuLibraryGetModule(&module, library), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuKernelGetFunction(&function, kernel), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuLibraryGetGlobal(&other, nullptr, library, "counter"), CUDA_ERROR_INVALID_CONTEXT);
  CUcontext primary = nullptr;
  ASSERT_CUDA(cuDevicePrimaryCtxRetain(&primary, device));
  ASSERT_CUDA(cuCtxSetCurrent(primary));
  EXPECT_CUDA(cuLibraryGetGlobal(&other, nullptr, library, "counter"));
  EXPECT_EQ(other, counter);
  unsigned managed = 0;
  EXPECT_CUDA(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, counter));
  EXPECT_EQ(managed, 1u);
  EXPECT_EQ(cuMemFree_v2(counter), CUDA_ERROR_INVALID_VALUE);
  CUlibrary wrong = nullptr;
  ASSERT_CUDA(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuLibraryLoadData(&wrong, ".version 8.0\nno PTX", nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(cuLibraryLoadFromFile(&wrong, "none.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_CUDA(cuLibraryUnload(library));
  ASSERT_CUDA(cuDevicePrimaryCtxRelease_v2(device));
  ASSERT_CUDA(cuCtxSetCurrent(context));
}

// Each context's first use of the library loads it there; what the others look at must stay.
TEST_F(DriverModule, ThreadsLoadALibraryIntoContextsOfTheirOwn) {
  constexpr int contexts = 8, rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    CUlibrary library = nullptr;
    ASSERT_CUDA(cuLibraryLoadData(&library, add_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    std::atomic<int> right{0};
    std::latch all(contexts);
    const auto use = [&] {
      CUcontext own = nullptr;
      const bool made = cuCtxCreate_v2(&own, 0, device) == CUDA_SUCCESS;
      all.arrive_and_wait();
      CUdeviceptr p = 0;
      unsigned values[2] = {};
      if (made && cuLibraryGetGlobal(&p, nullptr, library, "counter") == CUDA_SUCCESS &&
          cuMemcpyDtoH_v2(values, p, sizeof values) == CUDA_SUCCESS && values[0] == 1 && values[1] == 2)
        ++right;
      if (made) cuCtxDestroy_v2(own);
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < contexts; ++i) threads.emplace_back(use);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, contexts);
    EXPECT_CUDA(cuLibraryUnload(library));
  }
}

TEST_F(DriverModule, FaultsEndTheContext) {
  CUcontext second = nullptr;
  ASSERT_CUDA(cuCtxCreate_v2(&second, 0, device));
  CUdeviceptr p = allocate(4);
  const CUmodule module = load(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .u64 %rd1; .reg .u32 "
      "%r1;\n"
      "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; ret; }\n");
  const CUfunction k = function(module, "k");
  CUdeviceptr wrong = 16;
  void* arguments[] = {&wrong};
  EXPECT_CUDA(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuMemAlloc_v2(&p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_CUDA(cuCtxDestroy_v2(second));
  EXPECT_CUDA(cuCtxSetCurrent(context));  // which is another one, and goes on
  EXPECT_CUDA(cuMemAlloc_v2(&p, 4));
}

}  // namespace
}  // namespace heddle::tests
