// CUDA sources as data: everything in cuda/ (each function of the device headers is called there) and the example
// kernels compile, leave nothing unresolved, and ptxas, where there is one, accepts the result.
#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "compile/subprocess.hpp"
#include "fixture.hpp"
#include "support/places.hpp"

namespace heddle::compile::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::filesystem::path> sources() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"compile/cuda", "../examples/kernels"}) {
    for (const auto& file : std::filesystem::directory_iterator(tests::test_data() / folder)) {
      if (file.path().extension() == ".cu") files.push_back(file.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Empty when there is none.
std::string find_ptxas() {
  for (const char* place : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"}) {
    if (std::filesystem::exists(place)) return place;
  }
  return {};
}

class Programs : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  static void SetUpTestSuite() { ::setenv("HEDDLE_CACHE_DIR", SharedHeaders::get().folder().c_str(), 1); }
  static void TearDownTestSuite() { ::unsetenv("HEDDLE_CACHE_DIR"); }

  static void check(const CompileOptions& options) {
    CompileResult result;
    ASSERT_NO_THROW(
        try { result = compile_cuda_file_detailed(GetParam(), options); } catch (const Error& error) {
          ADD_FAILURE() << error.what();
          throw;
        });
    EXPECT_THAT(result.warnings, Not(HasSubstr("/heddle/"))) << "the device headers must not warn";
    EXPECT_THAT(result.ptx, HasSubstr(".visible .entry"));
    accepted_by_ptxas(result.ptx, options.arch);
  }

  static void accepted_by_ptxas(const std::string& ptx, const std::string& arch) {
    static const std::string ptxas = find_ptxas();
    if (ptxas.empty()) return;
    const auto file = SharedHeaders::get().folder() / "program.ptx";
    std::ofstream(file) << ptx;
    const ProcessResult result = run_process({ptxas, "-arch=" + arch, file.string(), "-o", "/dev/null"}, {}, {});
    EXPECT_EQ(result.exit_status, 0) << result.err;
  }
};

TEST_P(Programs, Compile) { check({}); }
TEST_P(Programs, CompileForSm90WithoutOptimisation) { check({.arch = "sm_90", .opt = 1}); }
TEST_P(Programs, CompileWithFastMath) { check({.fast_math = true}); }

INSTANTIATE_TEST_SUITE_P(All, Programs, ::testing::ValuesIn(sources()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace heddle::compile::testing
