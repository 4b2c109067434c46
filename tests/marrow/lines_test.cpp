// The programs whose lines are counted, with Heddle and by hand, compute the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "programs/command.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;

class Lines : public testing::TestWithParam<const char*> {
 protected:
  // What the command prints last: programs may warn before.
  static double number(const std::string& command) {
    const Ran ran = run_command(command);
    EXPECT_EQ(ran.code, 0) << command << "\n" << ran.output;
    const std::size_t end = ran.output.find_last_not_of('\n');
    const std::size_t begin = end == std::string::npos ? 0 : ran.output.rfind('\n', end) + 1;
    return std::strtod(ran.output.c_str() + begin, nullptr);
  }
  TemporaryFolder folder_;
};

TEST_P(Lines, WithHeddleAndByHand) {
  const std::string name = GetParam();
  const double ours = number("HEDDLE_CACHE_DIR=" + quoted(folder_.path()) + " " +
                             quoted(fs::path(HEDDLE_MARROW_PROGRAMS) / ("marrow_lines_" + name)) + " " +
                             quoted(fs::path(HEDDLE_MARROW_KERNELS) / "marrow.ptx"));
  ASSERT_GT(std::abs(ours), 1);
  const fs::path program = folder_.path() / name;
  const Ran built =
      run_command(program_environment() + quoted(HEDDLE_PROGRAM) + " cc -O2 " +
                  quoted(fs::path(HEDDLE_MARROW_LINES) / "cuda" / (name + ".cu")) + " -o " + quoted(program));
  ASSERT_EQ(built.code, 0) << built.output;
  // All work on the device, on the CPU's threads, and on both.
  for (const char* share : {"1", "0", "0.6"})
    EXPECT_NEAR(
        number(program_environment() + quoted(HEDDLE_PROGRAM) + " run --device cpu " + quoted(program) + " " + share),
        ours, 1e-4 * std::abs(ours))
        << share;
}

INSTANTIATE_TEST_SUITE_P(Marrow, Lines, testing::Values("filter", "fft", "nbody", "saxpy", "segmentation"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace heddle::tests
