#include <gmock/gmock.h>

#include "compile/clang.hpp"
#include "fixture.hpp"

namespace heddle::compile::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Compile : public FreshCache {};

constexpr const char* saxpy = R"(extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
})";

TEST_F(Compile, SaxpyBecomesPtxWithAFusedMultiplyAdd) {
  const std::string ptx = compile_cuda(saxpy, "saxpy.cu");
  EXPECT_THAT(ptx, HasSubstr(".visible .entry saxpy("));
  EXPECT_THAT(ptx, HasSubstr(".target sm_80"));
  EXPECT_THAT(ptx, HasSubstr("fma.rn.f32"));
}

TEST_F(Compile, LineInformationNamesTheUsersFile) {
  const std::string ptx = compile_cuda(saxpy, "saxpy.cu");
  EXPECT_THAT(ptx, HasSubstr("saxpy.cu\""));
  EXPECT_THAT(ptx, HasSubstr("\t.loc\t"));
  EXPECT_THAT(compile_cuda(saxpy, "saxpy.cu", {.line_info = false}), Not(HasSubstr(".loc")));
}

TEST_F(Compile, ErrorsShowTheUsersLine) {
  const std::string message = error_of("\n\n__global__ void k(int* p) { *p = nonsense; }\n", ErrorCode::compile_error);
  EXPECT_THAT(message, HasSubstr("user.cu does not compile"));
  EXPECT_THAT(message, HasSubstr("user.cu:3:34: error: use of undeclared identifier 'nonsense'"));
  EXPECT_THAT(message, HasSubstr("*p = nonsense"));
}

TEST_F(Compile, ErrorsInIncludedFilesNameThem) {
  write("sub/broken.h", "\n__device__ int f() { return wrong; }\n");
  const auto file = write("sub/k.cu", "#include \"broken.h\"\n__global__ void k(int* p) { *p = f(); }\n");
  try {
    compile_cuda_file(file);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("broken.h:2:29: error: use of undeclared identifier 'wrong'"));
  }
}

TEST_F(Compile, QuotedIncludesAreSearchedNextToTheNamedFile) {
  write("sub/value.h", "constexpr int value = 42;\n");
  const std::string source = "#include \"value.h\"\nextern \"C\" __global__ void k(int* p) { *p = value; }\n";
  EXPECT_THAT(compile_cuda(source, (folder_ / "sub/k.cu").string()), HasSubstr("42;"));
}

TEST_F(Compile, OptionsReachTheCompiler) {
  write("include/value.h", "constexpr int value = FACTOR * 2;\n");
  CompileOptions options{.defines = {"FACTOR=21"}, .include_paths = {(folder_ / "include").string()}, .arch = "sm_70"};
  const std::string ptx =
      compile_cuda("#include <value.h>\n__global__ void k(int* p) { *p = value; }", "k.cu", options);
  EXPECT_THAT(ptx, HasSubstr("42;"));
  EXPECT_THAT(ptx, HasSubstr(".target sm_70"));
}

TEST_F(Compile, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_THAT(error_of(saxpy, ErrorCode::invalid_argument, {.arch = "gfx90a"}), HasSubstr("gfx90a"));
  EXPECT_THAT(error_of(saxpy, ErrorCode::invalid_argument, {.opt = 7}), HasSubstr("7"));
  for (const char* define : {"-x", "", "A B", "A B=1", "1A", "A-B", "A\nB", "A(x", "A(x) y"}) {
    EXPECT_THAT(error_of(saxpy, ErrorCode::invalid_argument, {.defines = {define}}),
                HasSubstr("'" + std::string(define) + "' is not a macro definition"));
  }
}

TEST_F(Compile, DefinitionsMayHaveParametersAndSpacesInTheirValue) {
  const CompileOptions options{.defines = {"ADD(a, b)=((a) + (b))", "X=20 + 1", "_Y1", "EMPTY="}};
  EXPECT_THAT(compile_cuda("__global__ void k(int* p) { EMPTY *p = ADD(X, X) * 10 + _Y1; }", "k.cu", options),
              HasSubstr("421;"));
}

TEST_F(Compile, AMissingFileIsNotFound) {
  try {
    compile_cuda_file(folder_ / "absent.cu");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("absent.cu"));
  }
}

TEST_F(Compile, AMissingClangNamesThePackage) {
  ::setenv("HEDDLE_CLANG", "/nonexistent/clang", 1);
  const std::string message = error_of(saxpy, ErrorCode::invalid_argument);
  ::unsetenv("HEDDLE_CLANG");
  EXPECT_THAT(message, HasSubstr("/nonexistent/clang"));
  EXPECT_THAT(message, HasSubstr("apt-get install clang-19"));
}

TEST_F(Compile, FunctionsWithoutADefinitionAreNamed) {
  const std::string message =
      error_of("extern \"C\" __device__ int elsewhere(int);\n__global__ void k(int* p) { *p = elsewhere(*p); }",
               ErrorCode::compile_error);
  EXPECT_THAT(message, HasSubstr("elsewhere"));
  EXPECT_THAT(message, HasSubstr("no device definition"));
}

TEST_F(Compile, WarningsAreKept) {
  const std::string source = "__global__ void k(int* p) { int a[2] = {1, 2}; *p = a[5]; }";
  EXPECT_THAT(compile_cuda_detailed(source, "k.cu", {}).warnings, HasSubstr("k.cu:1:"));
  const CompileResult again = compile_cuda_detailed(source, "k.cu", {});
  EXPECT_TRUE(again.from_cache);
  EXPECT_THAT(again.warnings, HasSubstr("k.cu:1:"));
}

}  // namespace
}  // namespace heddle::compile::testing
