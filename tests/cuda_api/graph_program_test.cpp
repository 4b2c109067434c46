// Programs that nvcc compiles and that use graphs, with libcudart of this build in the place of NVIDIA's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/places.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

// Empty: there is none.
std::string nvcc() {
  if (std::system("nvcc --version >/dev/null 2>&1") == 0) return "nvcc";
  return std::filesystem::exists("/usr/local/cuda/bin/nvcc") ? "/usr/local/cuda/bin/nvcc" : "";
}

class GraphProgramTest : public ::testing::TestWithParam<const char*> {};

TEST_P(GraphProgramTest, Runs) {
  const std::string compiler = nvcc();
  if (compiler.empty()) GTEST_SKIP() << "there is no nvcc: programs that it compiles are not tested";
  const TemporaryFolder folder;
  const std::string source = (test_data() / "cuda_api" / "graph_programs" / GetParam()).string();
  const std::string program = (folder.path() / "program").string();
  ASSERT_EQ(std::system((compiler + " -std=c++17 -cudart shared -gencode arch=compute_80,code=compute_80 -o " +
                         program + " " + source)
                            .c_str()),
            0);
  const std::string environment =
      program_environment() + "HEDDLE_RUN_DEVICE=cpu LD_LIBRARY_PATH=" HEDDLE_CUDA_LIBRARIES " ";
  EXPECT_EQ(std::system((environment + program).c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(All, GraphProgramTest, ::testing::Values("capture.cu", "build.cu"));

}  // namespace
}  // namespace heddle::tests
