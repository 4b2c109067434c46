// What the device headers mean, seen in the PTX: which instructions come out, and what is refused with which words.
#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "compile/clang.hpp"
#include "fixture.hpp"
#include "support/places.hpp"

namespace heddle::compile::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Headers : public FreshCache {
 protected:
  static std::string ptx_of(const std::string& statement, const CompileOptions& options = {}) {
    return compile_cuda(
        "extern \"C\" __global__ void k(float* f, double* d, int* i, unsigned* u) { " + statement + " }", "k.cu",
        options);
  }
};

TEST_F(Headers, RoundedOperationsAreSingleInstructionsAndNeverFused) {
  EXPECT_THAT(ptx_of("f[0] = __fadd_rz(f[1], f[2]);"), HasSubstr("add.rz.f32"));
  EXPECT_THAT(ptx_of("f[0] = __fmaf_ru(f[1], f[2], f[3]);"), HasSubstr("fma.rp.f32"));
  EXPECT_THAT(ptx_of("d[0] = __ddiv_rd(d[1], d[2]);"), HasSubstr("div.rm.f64"));
  EXPECT_THAT(ptx_of("f[0] = __fadd_rn(__fmul_rn(f[1], f[2]), f[3]);"), Not(HasSubstr("fma.rn.f32")));
  EXPECT_THAT(ptx_of("f[0] = f[1] * f[2] + f[3];"), HasSubstr("fma.rn.f32"));
}

TEST_F(Headers, ContractionCanBeSwitchedOff) {
  EXPECT_THAT(ptx_of("f[0] = f[1] * f[2] + f[3];", {.extra = {"-ffp-contract=off"}}), Not(HasSubstr("fma.rn.f32")));
}

TEST_F(Headers, ConversionsSaturateInTheInstruction) {
  EXPECT_THAT(ptx_of("i[0] = __float2int_rn(f[0]);"), HasSubstr("cvt.rni.s32.f32"));
  EXPECT_THAT(ptx_of("u[0] = __double2uint_ru(d[0]);"), HasSubstr("cvt.rpi.u32.f64"));
  EXPECT_THAT(ptx_of("f[0] = __double2float_rd(d[0]);"), HasSubstr("cvt.rm.f32.f64"));
}

TEST_F(Headers, AtomicsKnowTheirMemory) {
  EXPECT_THAT(ptx_of("atomicAdd(f, 1.0f);"), HasSubstr("atom.global.add.f32"));
  EXPECT_THAT(ptx_of("__shared__ int s; atomicMax(&s, i[0]); i[1] = s;"), HasSubstr("atom.shared.max.s32"));
  EXPECT_THAT(ptx_of("atomicCAS_system(i, 1, 2);"), HasSubstr("atom.sys.cas.b32"));
}

// Which clang would look for in the read-only cache.
TEST_F(Headers, AtomicLoadsThroughRestrictParametersAreLoads) {
  EXPECT_THAT(compile_cuda("#include <cuda/atomic>\n__global__ void k(const long long* __restrict__ p, long long* q) {"
                           " *q = ((cuda::atomic<long long>*)p)->load(cuda::memory_order_relaxed); }",
                           "k.cu"),
              HasSubstr("ld.volatile.global.u64"));
}

TEST_F(Headers, IndexVariablesAndCopiesTakeNoStorage) {
  const std::string ptx = ptx_of(
      "auto t = threadIdx; t.x += 3; const auto& b = blockIdx; auto [x, y, z] = blockDim;\n"
      "u[t.x] = [=](auto g) { return t.y + b.y + y + g.y; }(gridDim);");
  for (const char* text : {"%tid.x", "%tid.y", "%ctaid.y", "%ntid.y", "%nctaid.y"}) EXPECT_THAT(ptx, HasSubstr(text));
  for (const char* text : {".local", ".const", ".b8"}) EXPECT_THAT(ptx, Not(HasSubstr(text)));
  EXPECT_THAT(error_of("__global__ void k() { auto p = &threadIdx; }", ErrorCode::compile_error),
              HasSubstr("user.cu:1:32: error"));
  EXPECT_THAT(error_of("__global__ void k() { threadIdx.x = 3; }", ErrorCode::compile_error),
              HasSubstr("user.cu:1:33: error"));
}

TEST_F(Headers, WarpFunctionsAreSingleInstructions) {
  EXPECT_THAT(ptx_of("f[0] = __shfl_xor_sync(0xffffffffu, f[1], 1);"), HasSubstr("shfl.sync.bfly.b32"));
  EXPECT_THAT(ptx_of("u[0] = __ballot_sync(0xffffffffu, i[0]);"), HasSubstr("vote.sync.ballot.b32"));
  EXPECT_THAT(ptx_of("i[0] = __reduce_add_sync(0xffffffffu, i[1]);"), HasSubstr("redux.sync.add"));
  EXPECT_THAT(ptx_of("f[0] = __ldg(f + 1);"), HasSubstr("ld.global.nc.f32"));
}

// An access that a message blames is the program's, whichever function of the headers makes it.
TEST_F(Headers, InstructionsHaveTheLineThatCallsThem) {
  const std::string ptx = ptx_of(
      "\nint n = i[threadIdx.x];\natomicAdd(&u[n], 1u);\nf[n] = __ldg(&f[n + 1]) + sinf(f[n]);\n"
      "if (n < 0) __trap();\n__syncthreads();\n");
  EXPECT_THAT(ptx, Not(HasSubstr("heddle/atomics.h")));
  EXPECT_THAT(ptx, Not(HasSubstr("heddle/memory.h")));
  EXPECT_THAT(ptx, Not(HasSubstr("heddle/system_calls.h")));
  EXPECT_THAT(ptx, Not(HasSubstr("heddle/synchronization.h")));
  for (const char* line : {"1 2 ", "1 3 ", "1 4 ", "1 5 ", "1 6 "}) {
    EXPECT_THAT(ptx, HasSubstr(std::string(".loc\t") + line));
  }
}

TEST_F(Headers, FastMathUsesApproximateInstructions) {
  const CompileOptions fast{.fast_math = true};
  EXPECT_THAT(ptx_of("f[0] = sinf(f[1]);", fast), HasSubstr("sin.approx"));
  EXPECT_THAT(ptx_of("f[0] = f[1] / f[2];", fast), ContainsRegex("div\\.(full|approx)"));
  EXPECT_THAT(ptx_of("f[0] = f[1] + f[2];", fast), HasSubstr(".ftz."));
  EXPECT_THAT(ptx_of("f[0] = sinf(f[1]) + f[1] / f[2];"), Not(ContainsRegex("approx|full|ftz")));
}

TEST_F(Headers, CLibraryCallsByNameGetDefinitions) {
  const std::string ptx = ptx_of("f[0] = __builtin_sinf(f[1]); d[0] = __builtin_pow(d[1], d[2]);");
  EXPECT_THAT(ptx, Not(HasSubstr(".extern .func")));
  EXPECT_THAT(ptx, HasSubstr(") sinf("));
  EXPECT_THAT(ptx, HasSubstr(") pow("));
}

TEST_F(Headers, MacrosOfTheProgramDoNotReachThem) {
  const CompileOptions options{.defines = {"T=float", "N=1", "A", "x=y", "a=b", "mask=3"}};
  EXPECT_NO_THROW(ptx_of("f[0] = sinf(f[1]) + N;", options));
  EXPECT_NO_THROW(
      compile_cuda("#define T 1\n#define size 3\n#define value 4\n#include <cooperative_groups.h>\n"
                   "#include <cuda_fp16.h>\n__global__ void k(half* h) { h[0] = h[1]; }",
                   "k.cu"));
}

// The names that a header hides or shows, by the pragma.
std::vector<std::string> names_of(const char* header, const std::string& pragma) {
  std::ifstream file(::heddle::tests::test_data() / "../src/compile/headers/heddle" / header);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(pragma + "(\""))
      names.push_back(line.substr(pragma.size() + 2, line.size() - pragma.size() - 4));
  return names;
}

// Also those that are included behind the program's macros.
TEST_F(Headers, MacrosOfTheProgramDoNotReachThoseThatComeLater) {
  const std::vector<std::string> hidden = names_of("hide_macros.h", "#pragma push_macro");
  ASSERT_GT(hidden.size(), 100u);
  EXPECT_EQ(names_of("show_macros.h", "#pragma pop_macro"), hidden);
  std::string macros;
  for (const std::string& name : hidden)
    if (name != "device" && name != "global") macros += "#define " + name + " 7\n";  // what __global__ stands for
  for (const char* header : {"cuda/atomic", "cuda/barrier", "cuda/pipeline", "mma.h", "cuda_pipeline.h", "cuComplex.h",
                             "cooperative_groups.h", "cooperative_groups/reduce.h"})
    EXPECT_THAT(
        compile_cuda(macros + "#include <" + header + ">\n__global__ void fourteen(int* kept) { *kept = N + value; }",
                     "k.cu"),
        HasSubstr("14"))
        << header;
}

TEST_F(Headers, TexturesAndSurfacesAreInstructions) {
  const std::string ptx = compile_cuda(
      "__global__ void k(float4* p, uchar4* q, cudaTextureObject_t t, cudaSurfaceObject_t s) {\n"
      "  p[0] = tex2D<float4>(t, 1.f, 2.f); p[1].x = tex3DLod<float>(t, 1.f, 2.f, 3.f, 0.5f);\n"
      "  q[0] = tex1Dfetch<uchar4>(t, 7); p[2] = tex2Dgather<float4>(t, 1.f, 2.f, 2);\n"
      "  short2 v; surf2Dread(&v, s, 4, 5, cudaBoundaryModeZero); surf2DLayeredwrite(p[3], s, 16, 2, 1); q[1].x = v.x; "
      "}",
      "k.cu");
  for (const char* text : {"tex.2d.v4.f32.f32", "tex.level.3d.v4.f32.f32", "tex.1d.v4.u32.s32", "tld4.b.2d.v4.f32.f32",
                           "suld.b.2d.b32.zero", "sust.b.a2d.v4.b32.trap"})
    EXPECT_THAT(ptx, HasSubstr(text));
}

TEST_F(Headers, ReferencesToTexturesAreRefusedWhereTheyAreUsed) {
  const std::string message = error_of("texture<float, 2> t; __global__ void k(float* p) { *p = tex2D(t, 1.f, 2.f); }",
                                       ErrorCode::compile_error);
  EXPECT_THAT(message, HasSubstr("user.cu:1:"));
  EXPECT_THAT(message, HasSubstr("references to textures"));
}

// Without a program of the host there is the device's copy alone.
TEST_F(Headers, ManagedVariablesAreTheDevices) {
  const std::string ptx = compile_cuda(
      "__managed__ int x = 5;\nstatic __device__ __managed__ float y[3];\nextern \"C\" __managed__ double z;\n"
      "__managed__ double z;\n__global__ void k() { ++x; y[1] = 2; z = x; }\nint main() { x = 6; return int(y[0]); }",
      "k.cu");
  EXPECT_THAT(ptx, HasSubstr(".visible .global .align 4 .u32 x = 5;"));
  EXPECT_THAT(ptx, HasSubstr("_ZL1y[12]"));
  EXPECT_THAT(ptx, HasSubstr(".f64 z;"));
}

TEST_F(Headers, ClustersAreRefused) {
  EXPECT_THAT(error_of("__global__ void __cluster_dims__(2, 1, 1) k() {}", ErrorCode::compile_error),
              HasSubstr("clusters (__cluster_dims__) are not supported"));
}

TEST_F(Headers, PipelinePrimitivesAreAsynchronousCopies) {
  const std::string source = R"(#include <cuda_pipeline_primitives.h>
extern "C" __global__ void k(const float4* p, float4* q) {
  __shared__ float4 s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], p + threadIdx.x, sizeof(float4));
  __pipeline_memcpy_async(&s[threadIdx.x].x, p + 32 + threadIdx.x, 4, 1);
  __pipeline_commit();
  __pipeline_wait_prior(3);
  q[threadIdx.x] = s[threadIdx.x];
})";
  const std::string ptx = compile_cuda(source, "k.cu");
  EXPECT_THAT(ptx, HasSubstr("cp.async.cg.shared.global"));
  EXPECT_THAT(ptx, HasSubstr("cp.async.ca.shared.global"));
  EXPECT_THAT(ptx, HasSubstr("cp.async.commit_group"));
  EXPECT_THAT(ptx, HasSubstr("cp.async.wait_group 3"));
  EXPECT_THAT(ptx, Not(HasSubstr("trap")));
  EXPECT_THAT(compile_cuda(source, "k.cu", {.arch = "sm_75"}), Not(HasSubstr("cp.async")));
}

TEST_F(Headers, GridConstantParametersAreNoReasonForAWarning) {
  const CompileResult result = compile_cuda_detailed(
      "struct S { int x[4]; };\n__global__ void k(const __grid_constant__ S s, int* p) { *p = s.x[*p & 3]; }", "k.cu",
      {});
  EXPECT_EQ(result.warnings, "");
}

TEST_F(Headers, SourcesForNvccFindItsMacros) {
  EXPECT_THAT(
      ptx_of("\n#if defined(__NVCC__) && defined(__CUDACC__) && __CUDACC_VER_MAJOR__ == 12\nu[0] = 4711;\n#endif\n"),
      HasSubstr("4711"));
}

TEST_F(Headers, PartsOfTheSdkAreNotUsedUnasked) {
  // A clang on whose own search path an SDK lies.
  write("sdk/curand_test_only.h", "inline __device__ int from_the_sdk() { return 4711; }\n");
  write("sdk/cub/test_only.cuh", "nonsense\n");
  write("sdk/cuda/api.hpp", "#define OTHER 4711\n");
  const auto script =
      write("clang.sh", "#!/bin/sh\nexec \"" + find_clang().path.string() + "\" -Xclang -internal-isystem -Xclang '" +
                            (folder_ / "sdk").string() + "' \"$@\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ::setenv("HEDDLE_CLANG", script.c_str(), 1);
  const std::string curand = "#include <curand_test_only.h>\n__global__ void k(int* p) { *p = from_the_sdk(); }";
  const std::string message = error_of(curand, ErrorCode::compile_error);
  EXPECT_THAT(message, HasSubstr("<curand_test_only.h> was found in " + (folder_ / "sdk").string()));
  EXPECT_THAT(message, HasSubstr("a part of cuRAND, which Heddle does not have"));
  EXPECT_THAT(message, HasSubstr("-I " + (folder_ / "sdk").string()));
  EXPECT_THAT(error_of("#include <cub/test_only.cuh>\n", ErrorCode::compile_error), HasSubstr("a part of CUB"));
  // Nothing of another project, and nothing that is only asked for.
  EXPECT_THAT(compile_cuda("#include <cuda/api.hpp>\n__global__ void k(int* p) { *p = OTHER; }", "k.cu"),
              HasSubstr("4711"));
  EXPECT_NO_THROW(compile_cuda("#if __has_include(<cub/test_only.cuh>)\n#endif\n__global__ void k() {}", "k.cu"));
  // Whoever names the folder means it.
  const std::string sdk = (folder_ / "sdk").string();
  EXPECT_THAT(compile_cuda(curand, "k.cu", {.include_paths = {sdk}}), HasSubstr("4711"));
  EXPECT_THAT(compile_cuda(curand, "k.cu", {.extra = {"-isystem", sdk}}), HasSubstr("4711"));
  ::setenv("CPATH", sdk.c_str(), 1);
  EXPECT_THAT(compile_cuda(curand, "k.cu"), HasSubstr("4711"));
}

TEST_F(Headers, MissingPartsOfTheSdkAreNamed) {
  for (const auto& [header, part] :
       {std::pair("thrust/nothing_has_this_name.h", "Thrust"), std::pair("cuda/std/nothing", "libcu++"),
        std::pair("curand_nothing.h", "cuRAND")}) {
    EXPECT_THAT(error_of(std::string("#include <") + header + ">\n", ErrorCode::compile_error),
                HasSubstr(std::string("<") + header + "> is a part of " + part));
  }
  EXPECT_THAT(error_of("#include <somebody/elses.h>\n", ErrorCode::compile_error),
              Not(HasSubstr("Heddle does not have")));
}

TEST_F(Headers, NarrowingIsAWarningAsWithNvcc) {
  const CompileResult result =
      compile_cuda_detailed("__global__ void k(int2* p) { int2 v = {threadIdx.x, threadIdx.y}; *p = v; }", "k.cu", {});
  EXPECT_THAT(result.warnings, HasSubstr("warning: non-constant-expression cannot be narrowed"));
}

TEST_F(Headers, KernelsThatLaunchKernelsAreRefused) {
  EXPECT_THAT(
      error_of("__global__ void child() {}\n__global__ void parent() { child<<<1, 1>>>(); }", ErrorCode::compile_error),
      HasSubstr("Heddle has no dynamic parallelism"));
}

TEST_F(Headers, WideAtomicsNeedSm90) {
  const std::string source = "__global__ void k(ulonglong2* p) { p[0] = atomicCAS(p, p[1], p[2]); }";
  EXPECT_THAT(error_of(source, ErrorCode::compile_error), HasSubstr("sm_90"));
  EXPECT_THAT(compile_cuda(source, "k.cu", {.arch = "sm_90"}), HasSubstr("cas.b128"));
}

TEST_F(Headers, VectorTypesHaveCudasLayout) {
  EXPECT_NO_THROW(compile_cuda(R"(
#define LAYOUT(T, SIZE, ALIGN) static_assert(sizeof(T) == SIZE && alignof(T) == ALIGN, #T);
LAYOUT(char1, 1, 1) LAYOUT(char2, 2, 2) LAYOUT(char3, 3, 1) LAYOUT(char4, 4, 4) LAYOUT(short2, 4, 4) LAYOUT(short3, 6, 2)
LAYOUT(short4, 8, 8) LAYOUT(int2, 8, 8) LAYOUT(int3, 12, 4) LAYOUT(int4, 16, 16) LAYOUT(float3, 12, 4) LAYOUT(float4, 16, 16)
LAYOUT(double2, 16, 16) LAYOUT(double3, 24, 8) LAYOUT(double4, 32, 16) LAYOUT(ulonglong4, 32, 16) LAYOUT(dim3, 12, 4)
__global__ void k() {})",
                               "k.cu"));
}

TEST_F(Headers, OneStandardAfterAnotherWorks) {
  for (const char* standard : {"-std=c++14", "-std=c++17", "-std=c++20"}) {
    EXPECT_NO_THROW(ptx_of("f[0] = sinf(f[1]);", {.extra = {standard}})) << standard;
  }
}

// Which define functions for devices that the C++ library has for hosts.
TEST_F(Headers, StandardsGoWithTheCxxLibrary) {
  const std::string source =
      "#include <algorithm>\n#include <complex>\n#include <numeric>\n#include <vector>\n"
      "__global__ void k(float* f) { f[0] = std::max(f[1], f[2]); new (f) float(1); }\n"
      "int main() { std::vector<float> v(3); return static_cast<int>(v.size()); }\n";
  for (const char* standard : {"-std=c++14", "-std=c++17", "-std=c++20", "-std=gnu++20", "-std=c++23"}) {
    EXPECT_NO_THROW(compile_cuda(source, "k.cu", {.extra = {standard}})) << standard;
  }
  EXPECT_NO_THROW(
      compile_cuda("#include <concepts>\n#include <ranges>\n#include <span>\n#include <vector>\n"
                   "template <std::floating_point T> __global__ void k(T* t) { t[0] += 1; }\n"
                   "template __global__ void k(double*);\n",
                   "k.cu", {.extra = {"-std=c++20"}}));
}

}  // namespace
}  // namespace heddle::compile::testing
