// heddle cc as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "programs/command.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Cc : public testing::Test {
 protected:
  Ran cc(const std::string& words) const {
    return run_command("cd " + quoted(folder_.path()) + " && " + quoted(heddle_program(HEDDLE_PROGRAM)) + " cc " +
                       words);
  }
  void file(const std::string& name, const std::string& text) const {
    base::write_file_atomic(folder_.path() / name, std::string_view(text));
  }
  bool is_there(const std::string& name) const { return std::filesystem::exists(folder_.path() / name); }
  Ran shell(const std::string& command) const { return run_command("cd " + quoted(folder_.path()) + " && " + command); }

  TemporaryFolder folder_;
};

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
TEST_F(Cc, LaunchesMayHaveBlanksBetweenTheirSigns) {
  file("launch.cuh", "template <class T> void run(T* p) { k<T> << <1, 32 >> > (p); }\n");
  file("a.cu", R"(#include <cstdio>
template <class T> __global__ void k(T* p) { p[threadIdx.x] = threadIdx.x; }
#include "launch.cuh"
int main() {
  int *p, there[32];
  cudaMalloc(&p, sizeof there);
  run(p);
  k << <1, 16 >> > (p + 16);
  cudaMemcpy(there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d %s %d\n", there[15], there[31], __FILE__, __LINE__);
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, "");
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "15 15 a.cu 10\n");
  // Mistakes are named by the program's own files.
  file("launch.cuh", "void run(int* p) { k << <1, 32 >> > (q); }\n");
  EXPECT_THAT(cc("a.cu -o program").output, AllOf(HasSubstr("launch.cuh:1:38: error"), HasSubstr("(q)")));
}

TEST_F(Cc, ListsInBracesMacrosOfPragmasAndCopiesOfThreadIdxAreTaken) {
  file("launch.cuh",
       "#define UNROLL #pragma unroll\nextern \"C\"__global__ void k(int* p) {\n"
       "  UNROLL\n  for (auto t = threadIdx; t.x < 4; t.x += 2) p[t.x] = blockDim.y;\n}\n");
  file("a.cu", R"(#include "launch.cuh"
#include <cstdio>
int main() {
  int *p, there[4], two = 2;
  cudaMalloc(&p, sizeof there);
  k<<<1, {(unsigned)two, 3}, 0, {}>>>(p);
  k<<<{1}, {2, 3, 1}>>>(p);
  cudaMemcpy(there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", there[0], there[3], __LINE__);
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, "");
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "3 3 9\n");
  file("b.cu", "#include \"launch.cuh\"\n#define GRID {2, 1}\nvoid run() { k<<<GRID, {1, 2}>>>(q); }\n");
  EXPECT_THAT(cc("-c b.cu").output, AllOf(HasSubstr("b.cu:3:"), HasSubstr("identifier 'q'"), HasSubstr("1 error")));
}

TEST_F(Cc, DeductionGuidesAndProgrammaticDependentLaunches) {
  file("a.cu", R"(#include <cstdio>
template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;
template <class T> struct Box {
  T value;
  template <class U> __host__ __device__ Box(U a, U b) : value(a + b) {}
};
template <class U> explicit Box(U, U) -> Box<U>;
__global__ void first(int* p) {
  const auto f = Overloaded{[](int x) { return x + 1; }, [](float x) { return int(x * 10); }};
  p[threadIdx.x] = f(int(threadIdx.x)) + f(1.5f) + Box(1, 2).value;
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(int* p) {
  cudaGridDependencySynchronize();
  p[threadIdx.x] *= 2;
}
int main() {
  int *p, there[4];
  cudaMalloc(&p, sizeof there);
  first<<<1, 4>>>(p);
  cudaLaunchConfig_t launch{};
  launch.gridDim = 1;
  launch.blockDim = 4;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  cudaLaunchKernelEx(&launch, second, p);
  cudaMemcpy(there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", there[0], there[3], Box(3, 4).value);
}
)");
  const Ran built = cc("-arch=sm_90 a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "38 44 7\n");
}

// In asm nvcc takes a % that no number follows as it is; also in a header.
TEST_F(Cc, AsmMayNameRegistersWithOneSign) {
  file("lane.cuh", "__device__ unsigned lane() { unsigned r; asm(\"mov.u32 %0, %laneid;\" : \"=r\"(r)); return r; }\n");
  file("a.cu", R"(#include <cstdio>
#include "lane.cuh"
__global__ void k(unsigned* p) { unsigned t; asm("mov.u32 %0, %tid.x;" : "=r"(t)); p[t] = lane(); }
int main() {
  unsigned *p, there[64];
  cudaMalloc(&p, sizeof there);
  k<<<1, 64>>>(p);
  cudaMemcpy(there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%u %u\n", there[31], there[32]);
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "31 0\n");
}

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

TEST_F(Cc, AttributesMayFollowKeywords) {
  file("a.cu", R"(struct S { __host__ __device__ [[nodiscard]] int f() const { return 3; } };
__global__ void k(int* p) {
  __shared__ alignas(128) int s[32];
  extern __shared__ alignas(16) char t[];
  s[threadIdx.x] = S().f();
  p[threadIdx.x] = s[31 - threadIdx.x] + t[0];
}
)");
  const Ran built = cc("-c a.cu");
  EXPECT_EQ(built.code, 0) << built.output;
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

TEST_F(Cc, WhatNvccOnlyWarnsOfIsNoError) {
  file("a.cu", R"(#include <cstdio>
#define UNIT "s"
__global__ void k(int* p) { register int x = threadIdx.x; p[x] = int2{threadIdx.x, 1}.x; }
int main() { register int n = 1; std::printf("%d "UNIT"\n", n); }
)");
  const Ran built = cc("-c a.cu");
  EXPECT_EQ(built.code, 0) << built.output;
  EXPECT_THAT(built.output, AllOf(HasSubstr("Wregister"), HasSubstr("user-defined-literal")));
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

TEST_F(Cc, ClassesMayHavePureVirtualFunctions) {
  file("a.cu", R"(
struct A { __device__ A(); __device__ virtual int f() = 0; };
__device__ __noinline__ A::A() {}
struct B : A { __device__ int f() override { return 7; } };
__global__ void make(A** a) { *a = new B; }
)");
  const Ran built = cc("-c a.cu");
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
TEST_F(Cc, FunctionsOfSmallFloatsMayBeNamed) {
  file("a.cu", R"(#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class R, class T, R (*F)(T)> __global__ void k(R* r, T* t) { *r = F(*t); }
template __global__ void k<__half2, __half2, h2exp>(__half2*, __half2*);
template <class R, class T> int same(R (*f)(T), T t, R want) { return f(t) == want; }
int main() {
  k<float, __half, __half2float><<<1, 1>>>(nullptr, nullptr);
  k<float, __nv_bfloat162, __low2float><<<1, 1>>>(nullptr, nullptr);
  k<short, __half, __half2short_rd><<<1, 1>>>(nullptr, nullptr);
  k<__half, __half, hrint><<<1, 1>>>(nullptr, nullptr);
  k<__nv_bfloat16, __nv_bfloat16, hrint><<<1, 1>>>(nullptr, nullptr);
  k<__half, const __half*, __ldg><<<1, 1>>>(nullptr, nullptr);
  const __half h(-2.5f), huge(60000.0f), nan = __ushort_as_half(0x7fff);
  const bool right = same<int, __half>(__half2int_rn, h, -2) && same<int, __half>(__half2int_rz, h, -2) &&
                     same<int, __half>(__half2int_ru, h, -2) && same<int, __half>(__half2int_rd, h, -3) &&
                     same<unsigned, __half>(__half2uint_rd, h, 0) && same<short, __half>(__half2short_rn, huge, 32767) &&
                     same<long long, __half>(__half2ll_rn, huge, 60000) && same<int, __half>(__half2int_rn, nan, 0) &&
                     same<int, __nv_bfloat16>(__bfloat162int_rn, __nv_bfloat16(1e30f), 0x7fffffff);
  return right ? 0 : 1;
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, "");
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.code, 0) << ran.output;
}

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
TEST_F(Cc, LanesThatAreTogetherKnowEachOtherInKernelsWithThreadsThatWait) {
  file("a.cu", R"(#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void k(volatile unsigned* flag, unsigned* out) {
  __syncthreads();
  if (threadIdx.x < 8) {
    unsigned together = __activemask(), sum = threadIdx.x;
    for (int i = 1; i < 8; i <<= 1) {
      const unsigned other = __shfl_up_sync(together, sum, i);
      if (threadIdx.x >= i) sum += other;
    }
    out[threadIdx.x] = together == 0xff ? sum : 1000;
  }
  if (threadIdx.x % 2 == 1) {
    const auto group = cg::coalesced_threads();
    out[32 + threadIdx.x] = group.size() * 100 + group.thread_rank();
  }
  __syncthreads();
  for (int p = blockIdx.x; p >= 0;) {
    const unsigned f = flag[threadIdx.x + p * 64];
    if (f == 2) break;
    if (f == 1) --p;
  }
}
int main() {
  unsigned *p, there[128];
  for (unsigned& one : there) one = 2;
  cudaMalloc(&p, 2 * sizeof there);
  cudaMemcpy(p, there, sizeof there, cudaMemcpyHostToDevice);
  k<<<1, 64>>>(p, p + 128);
  cudaMemcpy(there, p + 128, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", there[1], there[7], there[32 + 1], there[32 + 63]);
}
)");
  const Ran built = cc("a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  for (const char* device : {"cpu", "interp"}) {
    const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device " + device +
                          " ./program");
    EXPECT_EQ(ran.output, "1 28 1600 1615\n") << device;
  }
}

TEST_F(Cc, MemberTemplatesNeedNoKeywordAndGroupsBringAtomics) {
  file("a.cu", R"(#include <cooperative_groups.h>
#include <cstdio>
#include <memory>
template <class A> struct Pool { using type = typename std::allocator_traits<A>::rebind_alloc<double>; };
__global__ void count(int* p) { cuda::atomic_ref<int>(*p).fetch_add(2, cuda::memory_order_relaxed); }
int main() {
  int *p, there;
  cudaMalloc(&p, sizeof there);
  cudaMemset(p, 0, sizeof there);
  count<<<2, 3>>>(p);
  cudaMemcpy(&there, p, sizeof there, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", there, int(sizeof(*Pool<std::allocator<int>>::type().allocate(1))));
}
)");
  const Ran built = cc("-std=c++17 a.cu -o program");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ran ran = shell(program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu ./program");
  EXPECT_EQ(ran.output, "12 8\n");
}

}  // namespace
}  // namespace heddle::tests
