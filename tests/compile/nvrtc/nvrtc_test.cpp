// With the machine's NVRTC: what it makes of sources, options and headers, and what the cache then knows.
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "fixture.hpp"

namespace heddle::compile::nvrtc::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Nvrtc : public RealNvrtc {
 protected:
  fs::path kernel(const std::string& includes) const {
    return write("k.cu", includes + "\n__global__ void k(int* p) { *p = VALUE; }\n");
  }
  void value(const std::string& name, int v) const {
    write(name, "#pragma once\n#define VALUE " + std::to_string(v) + "\n");
  }
  void compiles_to(int expected, const CompileOptions& options = {}) const {
    const CompileResult first = compile_cuda_file_detailed(folder_ / "k.cu", with(options));
    EXPECT_THAT(first.ptx, HasSubstr(", " + std::to_string(expected) + ";"));
    EXPECT_FALSE(first.from_cache);
    still(options);
  }
  void still(const CompileOptions& options = {}) const {
    EXPECT_TRUE(compile_cuda_file_detailed(folder_ / "k.cu", with(options)).from_cache);
  }
};

constexpr const char* saxpy = R"(extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
})";

TEST_F(Nvrtc, SaxpyBecomesPtxWithAFusedMultiplyAdd) {
  const CompileResult result = compile(saxpy);
  EXPECT_THAT(result.ptx, HasSubstr(".visible .entry saxpy("));
  EXPECT_THAT(result.ptx, HasSubstr(".target sm_80"));
  EXPECT_THAT(result.ptx, HasSubstr("fma.rn.f32"));
  EXPECT_EQ(result.warnings, "");
}

TEST_F(Nvrtc, LineInformationNamesTheUsersFile) {
  const std::string ptx = compile(saxpy).ptx;
  EXPECT_THAT(ptx, HasSubstr("user.cu\""));
  EXPECT_THAT(ptx, HasSubstr("\t.loc\t"));
  EXPECT_THAT(compile(saxpy, {.line_info = false}).ptx, Not(HasSubstr(".loc")));
}

TEST_F(Nvrtc, KernelsAreNamedAsByClang) {
  const std::string source = R"(
namespace a { template <class T, int N> __global__ void fill(T* p, T v) { p[threadIdx.x] = v + N; } }
template __global__ void a::fill<float, 3>(float*, float);
template <class T> __global__ void never(T* p) { *p = 1; }
__global__ void plain(int* p, unsigned long long n, float2 v) { *p = n + v.x; }
)";
  const std::string ptx = compile(source).ptx;
  EXPECT_THAT(ptx, HasSubstr(".entry _ZN1a4fillIfLi3EEEvPT_S1_("));
  EXPECT_THAT(ptx, HasSubstr(".entry _Z5plainPiy6float2("));
  EXPECT_THAT(ptx, Not(HasSubstr("never"))) << "templates that nothing instantiates are not there";
  const std::string clangs = compile_cuda(source, "user.cu", {.compiler = Compiler::clang});
  EXPECT_THAT(clangs, HasSubstr(".entry _ZN1a4fillIfLi3EEEvPT_S1_("));
  EXPECT_THAT(clangs, HasSubstr(".entry _Z5plainPiy6float2("));
  EXPECT_THAT(clangs, Not(HasSubstr("never")));
}

TEST_F(Nvrtc, ErrorsShowTheUsersLine) {
  const std::string message = error_of("\n\n__global__ void k(int* p) { *p = nonsense; }\n", ErrorCode::compile_error);
  EXPECT_THAT(message, HasSubstr("user.cu does not compile:\nuser.cu(3): error: identifier \"nonsense\" is undefined"));
}

TEST_F(Nvrtc, ErrorsInIncludedFilesNameThem) {
  write("sub/broken.h", "\n__device__ int f() { return wrong; }\n");
  const auto file = write("sub/k.cu", "#include \"broken.h\"\n__global__ void k(int* p) { *p = f(); }\n");
  try {
    compile_cuda_file(file, with({}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("broken.h(2): error: identifier \"wrong\" is undefined"));
  }
}

TEST_F(Nvrtc, HeadersOfTheCppLibraryAreExplained) {
  EXPECT_THAT(
      error_of("#include <cstdio>\nint main() {}\n", ErrorCode::compile_error),
      AllOf(HasSubstr("user.cu(1): catastrophic error: "), HasSubstr("NVRTC has no C++ library, and so no <cstdio>")));
}

TEST_F(Nvrtc, HostCodeIsExplained) {
  EXPECT_THAT(error_of("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n", ErrorCode::compile_error),
              AllOf(HasSubstr("user.cu(2): error: "), HasSubstr("NVRTC compiles device code only")));
}

TEST_F(Nvrtc, FunctionsWithoutADefinitionAreNamed) {
  EXPECT_THAT(error_of("extern \"C\" __device__ int elsewhere(int);\n__global__ void k(int* p) { *p = elsewhere(*p); }",
                       ErrorCode::compile_error),
              AllOf(HasSubstr("elsewhere"), HasSubstr("no device definition")));
}

TEST_F(Nvrtc, OldTargetsAreNamed) {
  EXPECT_THAT(error_of(saxpy, ErrorCode::invalid_argument, {.arch = "sm_20"}),
              HasSubstr("does not know sm_20; it compiles for sm_"));
}

TEST_F(Nvrtc, OptionsThatItDoesNotKnowAreNamed) {
  EXPECT_THAT(error_of(saxpy, ErrorCode::compile_error, {.extra = {"--frobnicate"}}),
              AllOf(HasSubstr("--frobnicate"), HasSubstr("NVRTC_ERROR_INVALID_OPTION")));
}

TEST_F(Nvrtc, OptionsReachTheCompiler) {
  write("include/value.h", "constexpr int value = FACTOR * 2;\n");
  CompileOptions options{.defines = {"FACTOR=21"}, .include_paths = {at("include")}, .arch = "sm_90"};
  const std::string ptx = compile("#include <value.h>\n__global__ void k(int* p) { *p = value; }", options).ptx;
  EXPECT_THAT(ptx, HasSubstr("42;"));
  EXPECT_THAT(ptx, HasSubstr(".target sm_90"));
  const std::string divides = "__global__ void k(float* p) { *p = p[1] / p[2]; }";
  EXPECT_THAT(compile(divides).ptx, HasSubstr("div.rn.f32"));
  EXPECT_THAT(compile(divides, {.fast_math = true}).ptx, HasSubstr("div.approx.ftz.f32"));
  EXPECT_THAT(compile(saxpy, {.extra = {"--fmad=false"}}).ptx, Not(HasSubstr("fma.rn")));
}

TEST_F(Nvrtc, DefinitionsDoNotDisturbItsOwnNames) {
  const CompileOptions options{
      .defines = {"T=float", "N=1", "A", "x=y", "a=b", "mask=3", "ADD(p, q)=((p) + (q))", "TEXT=20 + 1"}};
  const std::string source =
      "#undef x\n__global__ void k(T* p) { p[threadIdx.x] = sinf(N) + __shfl_sync(mask, p[1], A); "
      "p[2] = ADD(TEXT, 2); }";
  EXPECT_NO_THROW(compile(source, options));
}

TEST_F(Nvrtc, QuotedIncludesAreSearchedNextToTheNamedFile) {
  write("sub/value.h", "constexpr int value = 42;\n");
  const std::string source = "#include \"value.h\"\nextern \"C\" __global__ void k(int* p) { *p = value; }\n";
  EXPECT_THAT(compile_cuda(source, at("sub/k.cu"), with({})), HasSubstr("42;"));
}

TEST_F(Nvrtc, WarningsAreKept) {
  const std::string source = "__global__ void k(int* p) { int unused; *p = 1; }";
  EXPECT_THAT(compile(source).warnings, HasSubstr("user.cu(1): warning"));
  const CompileResult again = compile(source);
  EXPECT_TRUE(again.from_cache);
  EXPECT_THAT(again.warnings, HasSubstr("user.cu(1): warning"));
}

TEST_F(Nvrtc, TheResultOfEachCompilerIsCachedByItself) {
  const std::string nvrtcs = compile(saxpy).ptx;
  const CompileResult clangs = compile_cuda_detailed(saxpy, "user.cu", {.compiler = Compiler::clang});
  EXPECT_FALSE(clangs.from_cache);
  EXPECT_NE(nvrtcs, clangs.ptx);
  EXPECT_TRUE(compile(saxpy).from_cache);
}

TEST_F(Nvrtc, AChangedHeaderIsNoticed) {
  kernel("#include \"v.h\"");
  value("v.h", 1011);
  compiles_to(1011);
  value("v.h", 1012);
  compiles_to(1012);
  fs::remove(folder_ / "v.h");
  EXPECT_THROW(compile_cuda_file(folder_ / "k.cu", with({})), Error);
}

TEST_F(Nvrtc, AHeaderInAnEarlierFolderIsNoticed) {
  const CompileOptions options = folders({"ia", "ib"});
  kernel("#include <v.h>");
  value("ib/v.h", 1021);
  fs::create_directory(folder_ / "ia");
  compiles_to(1021, options);
  value("ia/v.h", 1022);
  compiles_to(1022, options);
}

TEST_F(Nvrtc, AHeaderBesideTheSourceIsNoticed) {
  const CompileOptions options = folders({"ia"});
  kernel("#include \"v.h\"");
  value("ia/v.h", 1031);
  compiles_to(1031, options);
  value("v.h", 1032);
  compiles_to(1032, options);
}

TEST_F(Nvrtc, HeadersOfHeadersAreNoticed) {
  const CompileOptions options = folders({"ia"});
  kernel("#include <a.h>");
  write("ia/a.h", "#include \"deep/b.h\"\n");
  write("ia/deep/b.h", "#include \"v.h\"\n");
  value("ia/v.h", 1041);
  compiles_to(1041, options);
  value("ia/deep/v.h", 1042);
  compiles_to(1042, options);
}

TEST_F(Nvrtc, HeadersThatMacrosNameAreNoticed) {
  const CompileOptions options = folders({"ia", "ib"});
  kernel("#define QUOTE(x) #x\n#define NAME QUOTE(v.h)\n#include NAME");
  value("ib/v.h", 1051);
  compiles_to(1051, options);
  value("ia/v.h", 1052);
  compiles_to(1052, options);
}

TEST_F(Nvrtc, WhatHasIncludeDidNotFindIsNoticed) {
  const CompileOptions options = folders({"ia"});
  kernel("#define WANTED <w.h>\n#if __has_include(WANTED)\n#define VALUE 1062\n#else\n#define VALUE 1061\n#endif");
  compiles_to(1061, options);
  write("ia/w.h", "");
  compiles_to(1062, options);
}

TEST_F(Nvrtc, OneFileUnderTwoNamesIsNoticed) {
  const CompileOptions options = folders({"ia"});
  kernel("#include <a.h>\n#include <b.h>\n#ifndef VALUE\n#define VALUE TIMES\n#endif");
  const std::string counts =
      "#pragma once\n#ifdef TIMES\n#undef TIMES\n#define TIMES 1072\n#else\n#define TIMES 1071\n#endif\n";
  write("ia/a.h", counts);
  fs::create_symlink(folder_ / "ia/a.h", folder_ / "ia/b.h");
  const CompileResult linked = compile_cuda_file_detailed(folder_ / "k.cu", with(options));
  EXPECT_TRUE(compile_cuda_file_detailed(folder_ / "k.cu", with(options)).from_cache);
  fs::remove(folder_ / "ia/b.h");
  write("ia/b.h", counts);
  const CompileResult two = compile_cuda_file_detailed(folder_ / "k.cu", with(options));
  EXPECT_FALSE(two.from_cache);
  EXPECT_THAT(two.ptx, HasSubstr(", 1072;"));
  EXPECT_THAT(linked.ptx, HasSubstr(", 1071;"));
}

TEST_F(Nvrtc, TheTimeOfDayIsNotCached) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(compile("__global__ void k(const char** p) { *p = __TIME__; }").from_cache);
  }
}

TEST_F(Nvrtc, ThreadsCompileSideBySide) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      const CompileOptions options{.defines = {"VALUE=" + std::to_string(2000 + i)}};
      EXPECT_THAT(compile("__global__ void k(int* p) { *p = VALUE; }", options).ptx,
                  HasSubstr(", " + std::to_string(2000 + i) + ";"));
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(Nvrtc, TheSdksHeadersAreFound) {
  if (!has_headers()) GTEST_SKIP() << "NOT RUN: the headers of the SDK are not on this machine";
  const std::string source = R"(#include <cuda_fp16.h>
extern "C" __global__ void k(half2* p, float a) { p[threadIdx.x] = __hfma2(__float2half2_rn(a), p[threadIdx.x], p[0]); }
)";
  EXPECT_THAT(compile(source).ptx, HasSubstr("fma.rn.f16x2"));
  EXPECT_TRUE(compile(source).from_cache);
}

// A program that is started again pays this each time, with hundreds of headers behind it.
TEST_F(Nvrtc, AHitIsFast) {
  if (!has_headers()) GTEST_SKIP() << "NOT RUN: the headers of the SDK are not on this machine";
  const std::string source =
      "#include <cooperative_groups.h>\n__global__ void k() { cooperative_groups::this_thread_block().sync(); }";
  CompileOptions options;
  try {
    compile(source, options);
  } catch (const Error& error) {
    GTEST_SKIP() << "NOT RUN: NVRTC does not take the cooperative groups that are there: " << error.what();
  }
  double best = 1;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(compile(source, options).from_cache);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  RecordProperty("milliseconds", std::to_string(best * 1e3));
  EXPECT_LT(best, 0.02) << "hundreds of questions to the file system are a millisecond or two";
}

}  // namespace
}  // namespace heddle::compile::nvrtc::testing
