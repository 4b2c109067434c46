// Every function that NVIDIA's library has is there, and cuGetProcAddress finds the one that a program means.
#include <dlfcn.h>

#include <fstream>

#include "cuda_api/driver_support.hpp"
#include "support/places.hpp"

namespace heddle::tests {
namespace {

using DriverNames = Driver;

void* library() {
  static void* const opened = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return opened;
}

TEST_F(DriverNames, AllAreThere) {
  ASSERT_TRUE(library()) << dlerror();
  std::ifstream in(test_data() / "data" / "cuda_api" / "driver_names.txt");
  ASSERT_TRUE(in);
  int count = 0;
  for (std::string name; std::getline(in, name); ++count)
    EXPECT_TRUE(dlsym(library(), name.c_str())) << name << " is not exported";
  EXPECT_GT(count, 600);
  EXPECT_TRUE(dlsym(library(), "heddle_own_libcuda"));
}

// Those of the runtime API that it is made of stay its own.
TEST_F(DriverNames, NothingElseIsThere) {
  void* const other = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_TRUE(other);
  Dl_info of_runtime = {};
  void* const malloc_of_runtime = dlsym(library(), "cudaMalloc");
  if (malloc_of_runtime) {
    ASSERT_TRUE(dladdr(malloc_of_runtime, &of_runtime));
    EXPECT_EQ(std::string(of_runtime.dli_fname).find("libcuda.so"), std::string::npos);
  }
}

void* find(const char* name, int version, CUdriverProcAddressQueryResult expected, cuuint64_t flags = 0) {
  void* function = &function;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
  EXPECT_CUDA(cuGetProcAddress_v2(name, &function, version, flags, &status));
  EXPECT_EQ(status, expected) << name;
  return function;
}

// Libraries that ask to be told of its lines work.
TEST_F(DriverNames, TheLogIsEmpty) {
  const auto named = [](const char* name) { return dlsym(library(), name); };
  const auto add = reinterpret_cast<CUresult (*)(void (*)(void*, int, char*, size_t), void*, void**)>(
      named("cuLogsRegisterCallback"));
  const auto remove = reinterpret_cast<CUresult (*)(void*)>(named("cuLogsUnregisterCallback"));
  const auto dump = reinterpret_cast<CUresult (*)(unsigned*, char*, size_t*, unsigned)>(named("cuLogsDumpToMemory"));
  void* handle = nullptr;
  EXPECT_EQ(add([](void*, int, char*, size_t) {}, nullptr, &handle), CUDA_SUCCESS);
  EXPECT_NE(handle, nullptr);
  EXPECT_EQ(remove(handle), CUDA_SUCCESS);
  EXPECT_EQ(add(nullptr, nullptr, &handle), CUDA_ERROR_INVALID_VALUE);
  char text[8] = "before";
  size_t size = sizeof text;
  EXPECT_EQ(dump(nullptr, text, &size, 0), CUDA_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_STREQ(text, "");
}

TEST_F(DriverNames, VersionsAreTakenCareOf) {
  const auto symbol = [](const char* name) { return dlsym(library(), name); };
  constexpr auto ok = CU_GET_PROC_ADDRESS_SUCCESS;
  EXPECT_EQ(find("cuCtxCreate", 11000, ok), symbol("cuCtxCreate_v2"));
  EXPECT_EQ(find("cuCtxCreate", 11040, ok), symbol("cuCtxCreate_v3"));
  EXPECT_EQ(find("cuCtxCreate", 12050, ok), symbol("cuCtxCreate_v4"));
  EXPECT_EQ(find("cuCtxCreate", 13000, ok), symbol("cuCtxCreate_v4"));
  EXPECT_EQ(find("cuCtxCreate", 2000, ok), symbol("cuCtxCreate"));
  EXPECT_EQ(find("cuMemAlloc", 12000, ok), symbol("cuMemAlloc_v2"));
  EXPECT_EQ(find("cuMemAlloc_v2", 12000, ok), symbol("cuMemAlloc_v2"));
  EXPECT_EQ(find("cuGetProcAddress", 11030, ok), symbol("cuGetProcAddress"));
  EXPECT_EQ(find("cuGetProcAddress", 12000, ok), symbol("cuGetProcAddress_v2"));
  constexpr auto own = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  EXPECT_EQ(find("cuMemcpyHtoD", 12000, ok, own), symbol("cuMemcpyHtoD_v2_ptds"));
  EXPECT_EQ(find("cuMemcpyHtoD", 12000, ok, CU_GET_PROC_ADDRESS_LEGACY_STREAM), symbol("cuMemcpyHtoD_v2"));
  EXPECT_EQ(find("cuLaunchKernel", 12000, ok, own), symbol("cuLaunchKernel_ptsz"));
  EXPECT_EQ(find("cuInit", 12000, ok, own), symbol("cuInit"));
  EXPECT_EQ(find("cuLaunchKernelEx", 11000, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT), nullptr);
  EXPECT_EQ(find("cuNoSuchFunction", 12000, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND), nullptr);
  void* function = nullptr;
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &function, 99000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &function, 12000, 7, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2(nullptr, &function, 12000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::tests
