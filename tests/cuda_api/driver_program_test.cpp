// A driver API program in C, compiled against NVIDIA's header where it is there, and against Heddle's, and linked with
// -lcuda.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

const char* const program = R"(
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call) do { CUresult r = (call); const char* name = "?"; \
  if (r != CUDA_SUCCESS) { cuGetErrorName(r, &name); printf("%s: %s\n", #call, name); exit(1); } } while (0)
static const char* ptx = ".version 7.0\n.target sm_52\n.address_size 64\n"
  ".visible .entry square(.param .u64 p) { .reg .u64 %a<4>; .reg .u32 %r<4>;\n"
  "ld.param.u64 %a1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.u64 %a3, %a1, %a2;\n"
  "mul.lo.u32 %r2, %r1, %r1; st.global.u32 [%a3], %r2; ret; }\n";
int main(void) {
  CUdevice device; CUcontext context; CUmodule module; CUfunction square; CUdeviceptr p; CUstream stream;
  unsigned values[8]; int i, sum = 0; size_t free_bytes, total;
  void* arguments[1];
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuMemGetInfo(&free_bytes, &total));
  CHECK(cuModuleLoadData(&module, ptx));
  CHECK(cuModuleGetFunction(&square, module, "square"));
  CHECK(cuMemAlloc(&p, sizeof values));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemsetD32Async(p, 0, 8, stream));
  arguments[0] = &p;
  CHECK(cuLaunchKernel(square, 1, 1, 1, 8, 1, 1, 0, stream, arguments, NULL));
  CHECK(cuMemcpyDtoHAsync(values, p, sizeof values, stream));
  CHECK(cuStreamSynchronize(stream));
  for (i = 0; i < 8; ++i) sum += (int)values[i];
  CHECK(cuMemFree(p));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  printf("sum %d\n", sum);
  return 0;
}
)";

struct Flavour {
  const char *language, *header, *extra;
};

std::string run(const std::string& command) {
  std::string out;
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return "cannot run it";
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe)) out += buffer;
  if (const int status = ::pclose(pipe); status != 0) out += "[exit " + std::to_string(status) + "]";
  return out;
}

class DriverProgram : public testing::TestWithParam<Flavour> {};

TEST_P(DriverProgram, Runs) {
  const Flavour flavour = GetParam();
  const std::filesystem::path header = flavour.header;
  if (!std::filesystem::exists(header / "cuda.h")) GTEST_SKIP() << "there is no " << header / "cuda.h";
  const TemporaryFolder folder;
  const auto file = [&](const char* name) { return (folder.path() / name).string(); };
  base::write_file_atomic(file("program.c"), std::string_view(program));
  std::filesystem::create_symlink(std::filesystem::path(HEDDLE_CUDA_LIBRARIES) / "libcuda.so.1", file("libcuda.so"));
  const std::string compiled = run(std::string(HEDDLE_CXX) + " -x " + flavour.language + " " + flavour.extra + " -I" +
                                   header.string() + " " + file("program.c") + " -o " + file("program") + " -L" +
                                   folder.path().string() + " -lcuda -Wl,--allow-shlib-undefined");
  ASSERT_EQ(compiled, "");
  const std::string paths = std::string(HEDDLE_CUDA_LIBRARIES) + ":" + HEDDLE_LIBRARIES;
  EXPECT_EQ(run(program_environment() + "LD_LIBRARY_PATH=" + paths + " HEDDLE_RUN_DEVICE=cpu " + file("program")),
            "sum 140\n");
}

INSTANTIATE_TEST_SUITE_P(
    Headers, DriverProgram,
    testing::Values(Flavour{"c", HEDDLE_HEADERS, "-Wall -Werror"}, Flavour{"c++", HEDDLE_HEADERS, "-Wall -Werror"},
                    Flavour{"c++", HEDDLE_HEADERS, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"},
                    Flavour{"c", "/usr/local/cuda/include", ""}, Flavour{"c++", "/usr/local/cuda/include", ""},
                    Flavour{"c++", "/usr/local/cuda/include", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"}));

}  // namespace
}  // namespace heddle::tests
