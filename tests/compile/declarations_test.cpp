#include "compile/declarations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/source_tokens.hpp"

namespace heddle::tests {
namespace {

std::vector<std::string> kernels(std::string_view source) {
  std::vector<std::string> made;
  for (const ptx::KernelNote& note : compile::find_kernel_declarations(source)) {
    const std::string line = to_text(note);
    made.push_back(line.substr(11, line.size() - 12));
  }
  return made;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KernelDeclarations, NamesAndTypesOfParameters) {
  EXPECT_THAT(kernels("extern \"C\" __global__ void saxpy(int n, float a, const float *x, float* __restrict__ y) {}"),
              ElementsAre("saxpy(n: int, a: float, x: const float*, y: float*)"));
  EXPECT_THAT(
      kernels("__global__ void k(unsigned long long n, float const * const p, struct S s, int a[], ns::T<int, 2> t);"),
      ElementsAre("k(n: unsigned long long, p: const float* const, s: S, a: int*, t: ns::T<int, 2>)"));
  EXPECT_THAT(kernels("__global__ void k(int, float*, const T, unsigned) {}"),
              ElementsAre("k(: int, : float*, : const T, : unsigned)"));
  EXPECT_THAT(kernels("__global__ void none() {} __global__ void nothing(void) {}"),
              ElementsAre("none()", "nothing()"));
  EXPECT_THAT(kernels("__global__ void k(int n = f(1, 2), [[maybe_unused]] float* x = nullptr) {}"),
              ElementsAre("k(n: int, x: float*)"));
}

TEST(KernelDeclarations, WhatStandsBeforeTheName) {
  for (const char* before :
       {"__global__ void __launch_bounds__(256, 2) k", "__global__ __launch_bounds__(MOST(256)) void k",
        "template <typename T, int n> __global__ void k", "void __global__ k", "static __global__ auto img::k",
        "template <> __global__ void k<float, 1>", "__global__ __attribute__((noinline)) void k",
        "__global__ void BOUNDS(256) k", "[[nodiscard]] __global__ void k"})
    EXPECT_THAT(kernels(std::string(before) + "(float* x) {}"), ElementsAre("k(x: float*)")) << before;
}

TEST(KernelDeclarations, CommentsTextsAndThePreprocessorAreNoSource) {
  EXPECT_THAT(
      kernels("// __global__ void a(int x) {}\n/* __global__ void b(int x) {} */\n"
              "const char* t = \"__global__ void c(int x) {}\"; auto r = R\"x(__global__ void d(int x) {})x\";\n"
              "#define K(name) \\\n  __global__ void name(int x) {}\n"
              "#define C /* of two\nlines __global__ void f(int x) {} */ 1\n"
              "// a /* b\n__global__ /* here */ void e(int /*count*/ x, // too\n float c) {}"),
      ElementsAre("e(x: int, c: float)"));
  EXPECT_THAT(kernels("__global__ void k(int a,\n#ifdef B\n float b,\n#endif\n char c = '\"') {}"),
              ElementsAre("k(a: int, b: float, c: char)"));
}

TEST(KernelDeclarations, WhatIsNotPlainIsLeftOut) {
  for (const char* source :
       {"__global__ void NAME(k)(int n) {}", "__global__ void k(PARAMETERS(int, n)) {}",
        "__global__ void k(float (*f)(int)) {}", "template <class... T> __global__ void k(T... all) {}",
        "__global__ void k(int n", "__global__", "__global__ void k", "#define __global__ x\nint k(int n) {}",
        "__global__ void k(float (&x)[4]) {}", "__global__ void k(float x[2][3]) {}"})
    EXPECT_THAT(kernels(source), IsEmpty()) << source;
}

TEST(KernelDeclarations, OnesThatDifferAreLeftOutAndEqualOnesAreOne) {
  EXPECT_THAT(kernels("#ifdef D\n__global__ void k(double* x) {}\n#else\n__global__ void k(float* x) {}\n#endif\n"),
              IsEmpty());
  EXPECT_THAT(kernels("__global__ void k(float*, int n);\n__global__ void k(float* x, int) {}"),
              ElementsAre("k(x: float*, n: int)"));
  EXPECT_THAT(kernels("template <class T> __global__ void k(T* x) {}\ntemplate __global__ void k<int>(int*);"),
              ElementsAre("k(x: T*)"));
  EXPECT_THAT(kernels("__global__ void k(float*); __global__ void k(int); __global__ void k(float*);"), IsEmpty());
}

TEST(KernelDeclarations, StandBehindThePtxThatHasThem) {
  EXPECT_EQ(
      compile::with_kernel_notes(".visible .entry k(", "__global__ void k(int n) {} __global__ void gone(int n) {}"),
      ".visible .entry k(\n// heddle: k(n: int)\n");
}

TEST(SourceTokens, UnfinishedTextsEndWithTheSource) {
  for (const char* source : {"\"abc", "'", "R\"x(", "R\"", "/*", "/", "#\\", "1'", "\"\\", "//", "# /*"})
    compile::source_tokens(source);
}

}  // namespace
}  // namespace heddle::tests
