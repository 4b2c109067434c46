// heddle cc as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs/cc_fixture.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* small_program = R"(#include "value.h"
__global__ void k(int* p) { *p = VALUE; }
int main() { int* p; k<<<1, 1>>>(p); return cudaFree(nullptr); }
)";

TEST_F(Cc, ProgramsNeedNvidiasLibraryByName) {
  file("value.h", "#define VALUE 1\n");
  file("a.cu", small_program);
  const Ran built = cc("a.cu");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran read = shell("readelf -d a.out");
  if (read.code != 0) GTEST_SKIP() << "NO READELF HERE";
  EXPECT_THAT(read.output, AllOf(HasSubstr("[libcudart.so.12]"), Not(HasSubstr("PATH")), Not(HasSubstr("heddle"))));
}

// As Visual Studio writes them: nvcc takes the signs one by one.
// In asm nvcc takes a % that no number follows as it is; also in a header.
// nvcc gives what is for the preprocessor to both of its passes.
TEST_F(Cc, MacrosAndFoldersOfXcompilerAreForBothKindsOfCode) {
  std::filesystem::create_directory(folder_.path() / "a");
  std::filesystem::create_directory(folder_.path() / "b");
  file("a/v.h", "#define V 1\n");
  file("b/v.h", "#define V 2\n");
  file("a.cu",
       "#include \"v.h\"\n#include <cstdio>\n__global__ void k(int* p) { *p = V * 10 + FOO; }\n"
       "int main() { int *p, v; cudaMalloc(&p, 4); k<<<1, 1>>>(p); cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);"
       " std::printf(\"%d %d\\n\", v, V * 10 + FOO); }\n");
  for (const char* const words : {"-Xcompiler -DFOO=7,-Ib -Ia", "-Xcompiler=-Wall,-DFOO=7 -Xcompiler -iquote,b -I a",
                                  "-DFOO=3 -Xcompiler -UFOO,-D,FOO=7 -Xcompiler '-iquote b -Ia'"}) {
    const Ran built = cc(std::string(words) + " a.cu -o program");
    ASSERT_EQ(built.code, 0) << words << built.output;
    const Ran ran =
        shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
    EXPECT_THAT(ran.output, testing::AnyOf("27 27\n", "17 17\n")) << words;
  }
}

// A header by two names, and a name that is another file's once ".." is taken out of it.
TEST_F(Cc, LinksToHeadersAreThoseFiles) {
  for (const char* const folder : {"inc", "real", "other", "other/deep"})
    std::filesystem::create_directory(folder_.path() / folder);
  file("real/h.cuh", "#pragma once\ntemplate <class T> void run(T* p) { k<T> << <1, 1 >> > (p); }\n");
  std::filesystem::create_symlink("../real/h.cuh", folder_.path() / "inc/h.cuh");
  file("inc/user.cuh", "#include \"../real/h.cuh\"\n");
  file("w.h", "#define W 200\n");
  file("other/w.h", "inline void other(int* p) { k<int> << <1, 1 >> > (p); }\n");
  std::filesystem::create_symlink("other/deep", folder_.path() / "link");
  file("a.cu",
       "template <class T> __global__ void k(T* p) { *p = 1; }\n#include \"inc/user.cuh\"\n#include \"inc/h.cuh\"\n"
       "#include \"w.h\"\nint main() { int* p; cudaMalloc(&p, 4); run(p); return W == 200 ? 0 : 1; }\n");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  file("b.cu",
       "template <class T> __global__ void k(T* p) { *p = 1; }\n#include \"w.h\"\n#if W != 200\n#error another file\n"
       "#endif\n#include \"link/../w.h\"\n");
  EXPECT_THAT(cc("-c b.cu").output, Not(HasSubstr("another file")));
}

// Headers of NVIDIA's libraries include others of the SDK, which lie beside them.
TEST_F(Cc, HeadersOfLibrariesFindWhatIsThere) {
  std::filesystem::create_directory(folder_.path() / "sdk");
  file("sdk/cuda_runtime_api.h", "");  // by which an SDK is known
  file("sdk/library_types.h",
       "#ifndef __LIBRARY_TYPES_H__\n#define __LIBRARY_TYPES_H__\nenum cudaDataType_t { CUDA_R_32F };\n#endif\n");
  file("sdk/cuComplex.h", "#ifndef CU_COMPLEX_H_\n#define CU_COMPLEX_H_\ntypedef int cuComplex;\n#endif\n");
  file("sdk/lib.h",
       "#include \"cuComplex.h\"\n#include \"library_types.h\"\ncudaDataType_t f(cuComplex, "
       "cudaEmulationStrategy);\n");
  file("a.cu", "#include <cuComplex.h>\n#include <lib.h>\n__global__ void k(cuComplex* p) { p->x = 1; }\n");
  const Ran built = cc("-c -I sdk a.cu");
  EXPECT_EQ(built.code, 0) << built.output;
}

TEST_F(Cc, BlanksSeparateOptionsOfTheHostsCompiler) {
  file("a.cu", R"(#include <cstdio>
int main() {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 10; ++i) sum += _OPENMP > 0;
  std::printf("%d\n", sum);
}
)");
  const Ran built = cc("-Xcompiler '-Wall -fopenmp' -c a.cu");
  EXPECT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, "");
  EXPECT_THAT(shell("nm -u a.o").output, HasSubstr("__kmpc_fork_call"));
}

// The clang of an archive of script/bundle makes PTX and nothing else.
TEST_F(Cc, HostCodeIsNotForTheClangOfAnArchive) {
  namespace fs = std::filesystem;
  for (const char* place : {"bin", "lib/heddle/cuda", "lib/heddle/clang"})
    fs::create_directories(folder_.path() / place);
  fs::copy_file(heddle_program(HEDDLE_PROGRAM), folder_.path() / "bin/heddle");
  file("lib/heddle/cuda/libcudart.so.12", "");
  file("lib/heddle/clang/clang-19", "#!/bin/sh\necho makes PTX alone >&2; exit 1\n");
  fs::permissions(folder_.path() / "lib/heddle/clang/clang-19", fs::perms::owner_all);
  file("a.cu", "__global__ void k() {}\n");
  file("b.cpp", "int b() { return 1; }\n");
  const std::string heddle = "env -u HEDDLE_CLANG bin/heddle ";
  if (!testing::Value(shell(heddle + "compile a.cu").output, HasSubstr("makes PTX alone")))
    GTEST_SKIP() << "THE PROGRAM RUNS ONLY WHERE IT IS, OR LOOKS FOR CLANG FROM A LIBRARY";
  const Ran built = shell(heddle + "cc -c b.cpp");
  EXPECT_EQ(built.code, 0) << built.output;
  EXPECT_TRUE(is_there("b.o"));
}

// The host's side, which has no architecture, reads kernels as well.
TEST_F(Cc, FunctionsOfSomeArchitecturesAreThereForTheHostsSide) {
  file("a.cu", "__global__ void k(unsigned* p) { *p = __reduce_add_sync(~0u, *p) + __reduce_xor_sync(~0u, *p); }\n");
  const Ran a = cc("-c a.cu");
  EXPECT_EQ(a.code, 0) << a.output;
  file("b.cu", "__global__ void k(int4* p) { p[2] = atomicCAS(p, p[1], p[2]); atomicExch(p, p[1]); }\n");
  const Ran b = cc("-arch=sm_90 -c b.cu");
  EXPECT_EQ(b.code, 0) << b.output;
  EXPECT_THAT(cc("-c b.cu").output, HasSubstr("128-bit atomics need"));
  EXPECT_THAT(cc("-arch=sm_75 -c a.cu").output, HasSubstr("__reduce_add_sync"));
}

TEST_F(Cc, HostErrorsShowTheUsersLines) {
  file("a.cu", "__global__ void k() {}\nint main() { return nonsense; }\n");
  const Ran built = cc("a.cu");
  EXPECT_EQ(built.code, 1);
  EXPECT_THAT(built.output, AllOf(HasSubstr("a.cu:2:21: error:"), HasSubstr("return nonsense;")));
}

// As the helper headers of NVIDIA's samples do.
TEST_F(Cc, ProgramsMayAskByTheGuardsOfNvidiasHeaders) {
  const std::string runtime =
      "#if !defined(__CUDA_RUNTIME_H__) || !defined(__DRIVER_TYPES_H__)\n#error no guard\n#endif\n";
  file("a.cu", runtime + "__global__ void k() {}\n");
  file("b.cpp", "#include <cuda_runtime.h>\n" + runtime);
  file("c.c", "#include <cuda.h>\n#ifndef __cuda_cuda_h__\n#error no guard\n#endif\n");
  const Ran built = cc("-c a.cu b.cpp c.c");
  EXPECT_EQ(built.code, 0) << built.output;
}

// As programs written for CUDA 11 call it.
TEST_F(Cc, GraphsAreUpdatedInTheOldForm) {
  file("a.cu", R"(
int main() {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t node;
  return cudaGraphExecUpdate(nullptr, nullptr, &node, &result) == cudaSuccess;
}
)");
  const Ran built = cc("-c a.cu");
  EXPECT_EQ(built.code, 0) << built.output;
}

TEST_F(Cc, AWarningIsSaidOnce) {
  file("a.cu", "__global__ void k() {}\n#warning read this\nint main() {}\n");
  const Ran built = cc("-c a.cu");
  ASSERT_EQ(built.code, 0) << built.output;
  const auto first = built.output.find("read this");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(built.output.find(": warning: read this", first + 1), std::string::npos) << built.output;
  EXPECT_EQ(cc("-w -c a.cu").output, "");
  EXPECT_EQ(cc("-Werror all-warnings -c a.cu").code, 1);
}

TEST_F(Cc, MacrosReachTheProgramAndNotTheHeadersBeforeIt) {
  file("a.cu",
       "#include <vector>\nstatic_assert(N == 3 && T == 4, \"given\");\n#ifdef GONE\n#error it is there\n#endif\n"
       "#if !defined(_GNU_SOURCE) || _MINE != 2\n#error not seen\n#endif\n__global__ void k() {}\n");
  const Ran built = cc("-c a.cu -DN=3 -D T=4 -DGONE -UGONE -D_MINE=2");
  EXPECT_EQ(built.code, 0) << built.output;
}

TEST_F(Cc, WhatIsMadeAndWhereItGoes) {
  file("value.h", "#define VALUE 1\n");
  file("a.cu", small_program);
  EXPECT_EQ(cc("-c a.cu").code, 0);
  EXPECT_TRUE(is_there("a.o"));
  EXPECT_EQ(cc("-ptx a.cu -arch=sm_75").code, 0);
  EXPECT_THAT(base::read_file(folder_.path() / "a.ptx"), AllOf(HasSubstr(".target sm_75"), HasSubstr(".entry")));
  EXPECT_EQ(cc("-c a.cu -MD -MF a.d -o made.o").code, 0);
  EXPECT_TRUE(is_there("made.o"));
  EXPECT_THAT(base::read_file(folder_.path() / "a.d"), AllOf(HasSubstr("made.o:"), HasSubstr("value.h")));
  const Ran listed = cc("-MM -DGIVEN a.cu");
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.output, testing::StartsWith("a.o: a.cu value.h\n"));
  EXPECT_THAT(cc("-E a.cu").output, HasSubstr("*p = 1;"));
}

// As gcc writes them. The objects of one step are gone when it has ended.
TEST_F(Cc, ListsOfDependenciesOfOneStepNameWhatThereIs) {
  file("value.h", "#define VALUE 1\n");
  file("a.cu", small_program);
  for (const auto& [words, list, target] :
       {std::tuple("a.cu -MD -MF x.d -o made", "x.d", "made:"), std::tuple("a.cu -MD -o made", "made.d", "made:"),
        std::tuple("a.cu -MMD", "a.d", "a.o:"), std::tuple("a.cu -MD -MF x.d", "x.d", "a.o:"),
        std::tuple("a.cu -MD -MF x.d -MT mine -o made", "x.d", "mine:")}) {
    const Ran built = cc(words);
    EXPECT_EQ(built.code, 0) << words << ": " << built.output;
    ASSERT_TRUE(is_there(list)) << words;
    const std::string text = base::read_file(folder_.path() / list);
    EXPECT_THAT(text, AllOf(testing::StartsWith(target), HasSubstr("a.cu"), HasSubstr("value.h"))) << words;
    EXPECT_THAT(text, Not(HasSubstr("heddle-cc"))) << words;
    std::filesystem::remove(folder_.path() / list);
  }
  EXPECT_THAT(cc("a.cu -MD -MF a.cu -o made").output, HasSubstr("would replace"));
  file("a.d", "a source");
  EXPECT_THAT(cc("-x cu a.d -MD").output, HasSubstr("would replace"));
}

TEST_F(Cc, FoldersThatAreMissingAreNamed) {
  file("a.cu", "__global__ void k() {}\n");
  const Ran ran = cc("-ptx a.cu -o none/a.ptx");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, HasSubstr("cannot write none/a.ptx: there is no folder none"));
  EXPECT_FALSE(is_there("none"));
}

// What the compiler calls for a launch is no name in the program, which the macro would reach.
TEST_F(Cc, LaunchesUseTheThreadsOwnStreamWhereThatIsWanted) {
  for (const char* first : {"", "#include <cuda.h>\n", "#include <cuda_runtime.h>\n"}) {
    file("a.cu", first + std::string("__global__ void k(int* p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n"));
    for (const bool own : {false, true}) {
      const Ran built = cc(std::string(own ? "--default-stream per-thread " : "") + "-c a.cu");
      ASSERT_EQ(built.code, 0) << first << built.output;
      EXPECT_EQ(base::read_file(folder_.path() / "a.o").find("cudaLaunchKernel_ptsz") != std::string::npos, own);
    }
  }
}

// Overloaded functions are found by their type, for kernels that host code names and for pointers of its own.
// CMake reads what nvcc -v shows, and calls the linker itself with the names of NVIDIA's libraries.
TEST_F(Cc, CMakeTakesItForNvcc) {
  if (shell("cmake --version && ninja --version").code != 0) GTEST_SKIP() << "NO CMAKE OR NO NINJA HERE";
  file("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.18)
project(small LANGUAGES CXX CUDA)
add_library(kernels STATIC kernels.cu)
add_library(more SHARED more.cu)
set_target_properties(more PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
add_executable(small main.cpp)
target_link_libraries(small PRIVATE kernels more)
)");
  file("kernels.cu", R"(__global__ void k(int* p) { p[threadIdx.x] = threadIdx.x; }
int kernels() {
  int *p, there[32], sum = 0;
  cudaMalloc(&p, sizeof there);
  k<<<1, 32>>>(p);
  cudaMemcpy(there, p, sizeof there, cudaMemcpyDeviceToHost);
  for (int x : there) sum += x;
  return sum;
}
)");
  file("more.cu", "int more() { int n = 0; return cudaGetDeviceCount(&n) == cudaSuccess ? n : -1; }\n");
  file("main.cpp", "int kernels(); int more(); int main() { return kernels() == 496 && more() == 1 ? 7 : 1; }\n");
  std::filesystem::create_symlink(heddle_program(HEDDLE_PROGRAM), folder_.path() / "heddle-nvcc");
  const Ran configured = shell("cmake -S . -B b -G Ninja -DCMAKE_CUDA_COMPILER=$PWD/heddle-nvcc");
  ASSERT_EQ(configured.code, 0) << configured.output;
  // Otherwise it would have asked the nvcc of a toolkit, if there is one.
  EXPECT_THAT(configured.output, HasSubstr("CUDA compiler identification is NVIDIA 12.0"));
  const Ran built = shell("cmake --build b");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu b/small");
  EXPECT_EQ(ran.code, 7) << ran.output;
}

// CMake asks for the toolkit in this way; scripts read the version.
TEST_F(Cc, ALinkNamedNvccAnswersAsNvccDoes) {
  std::filesystem::create_symlink(heddle_program(HEDDLE_PROGRAM), folder_.path() / "nvcc");
  EXPECT_THAT(shell("./nvcc --version").output,
              AllOf(HasSubstr("nvcc: NVIDIA (R) Cuda compiler driver"), HasSubstr("release 12.0, V12.0")));
  const Ran asked = shell("./nvcc -v __cmake_determine_cuda");
  EXPECT_THAT(asked.output,
              AllOf(HasSubstr("#$ TOP=/"), HasSubstr("#$ NVVMIR_LIBRARY_DIR=/"), HasSubstr("/nvvm/libdevice\n")));
}

TEST_F(Cc, DryRunsOnlyShow) {
  file("value.h", "#define VALUE 1\n");
  file("a.cu", small_program);
  const Ran shown = cc("--dryrun a.cu -o program");
  EXPECT_EQ(shown.code, 0) << shown.output;
  EXPECT_THAT(shown.output, AllOf(HasSubstr("#$ heddle compile -arch compute_80 a.cu"), HasSubstr("--cuda-host-only"),
                                  HasSubstr("-o program")));
  EXPECT_FALSE(is_there("program"));
}

TEST_F(Cc, LibrariesOfNvidiasAreNamed) {
  file("a.c", "int main(void) { return 0; }\n");
  const Ran built = cc("a.c -lcublasOfNobody");
  EXPECT_EQ(built.code, 1);
  EXPECT_THAT(built.output, HasSubstr("libcublasOfNobody is a library of NVIDIA's"));
  // One that is there is taken: here an empty one, in a folder that is named and in an SDK that is found.
  file("empty.c", "int nothing;\n");
  EXPECT_EQ(cc("-shared -Xcompiler -fPIC empty.c -o libcublasOfNobody.so -cudart none").code, 0);
  EXPECT_EQ(cc("a.c -L. -lcublasOfNobody").code, 0);
  std::filesystem::create_directories(folder_.path() / "sdk/include");
  std::filesystem::create_directories(folder_.path() / "sdk/lib64");
  file("sdk/include/cuda_runtime.h", "");
  file("sdk/include/cuda_fp16.h", "");
  std::filesystem::rename(folder_.path() / "libcublasOfNobody.so", folder_.path() / "sdk/lib64/libcublasOfNobody.so");
  const Ran found = run_command("cd " + quoted(folder_.path()) + " && CUDA_HOME=" + quoted(folder_.path() / "sdk") +
                                " " + quoted(heddle_program(HEDDLE_PROGRAM)) + " cc a.c -lcublasOfNobody");
  EXPECT_EQ(found.code, 0) << found.output;
}

TEST_F(Cc, DeviceCodeOfOtherFilesIsNamed) {
  file("a.cu", "extern __device__ int total;\n__global__ void k() { total = 1; }\n");
  const Ran variable = cc("-c a.cu");
  EXPECT_EQ(variable.code, 1);
  EXPECT_THAT(variable.output, HasSubstr("the device variable total"));
  file("b.cu", "__device__ int other(int);\n__global__ void k(int* p) { *p = other(1); }\n");
  const Ran function = cc("-c b.cu");
  EXPECT_EQ(function.code, 1);
  EXPECT_THAT(function.output, HasSubstr("no device definition"));
  EXPECT_EQ(cc("-dc a.cu").code, 0);
  EXPECT_EQ(cc("-rdc=true -c b.cu").code, 0);
}

TEST_F(Cc, PlainFilesCompileWithTheCompilerThatIsNamed) {
  file("a.c",
       "#include <cuda_runtime_api.h>\n#include <cuda.h>\nint f(void) { struct cudaDeviceProp p; enum cudaMemcpyKind k "
       "= "
       "cudaMemcpyDefault; float4 v = make_float4(1, 2, 3, 4); return (int)sizeof p + (int)k + (int)v.x; }\n");
  file("b.cpp",
       "#include <cuda_runtime.h>\n#include <cuda.h>\nint f() { float* p; dim3 d(3); return cudaMalloc(&p, d.x); }\n");
  file("c.cpp", "#include <cuda.h>\nvoid* f(size_t n) { return malloc(n + sizeof(CUdeviceptr)); }\n");
  for (const char* compiler : {"gcc", "g++", "clang-19"}) {
    if (shell(std::string(compiler) + " --version").code != 0) continue;
    for (const char* source : {"a.c", "b.cpp", "c.cpp"}) {
      const Ran built = cc(std::string("-c -Xcompiler -Wall,-Wextra,-Werror -ccbin ") + compiler + " " + source);
      EXPECT_EQ(built.code, 0) << compiler << built.output;
    }
  }
}

TEST_F(Cc, PlainFilesHaveHalves) {
  file("a.cpp", R"(#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
int main() {
  half h = __float2half(1.5f);
  const half2 pair = __floats2half2_rn(1, 2) + __floats2half2_rn(.5f, .25f);
  const __nv_bfloat16 b = __float2bfloat16(3.25f) * __float2bfloat16(2);
  h += half(2);
  const float2 both = __half22float2(pair);
  std::printf("%g %g %g %g %d\n", __half2float(h), both.x, both.y, __bfloat162float(b), __hgt(h, half(3)));
}
)");
  const Ran built = cc("-Xcompiler -Wall,-Wextra,-Werror a.cpp -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run ./program");
  EXPECT_EQ(ran.output, "3.5 1.5 2.25 6.5 1\n");
  if (shell("g++ --version").code != 0) return;
  EXPECT_THAT(cc("-c -ccbin g++ a.cpp").output, HasSubstr("for plain C++ compiled by heddle cc or clang"));
}

// Where a thread may wait for another one of its warp, the CPU device runs each on its own.
}  // namespace
}  // namespace heddle::tests
