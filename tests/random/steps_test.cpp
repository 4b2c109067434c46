// Kernels of values with known steps give the same on the CPU device as on the interpreter, bit for bit.
// HEDDLE_RANDOM_SEEDS=BEGIN:END chooses the seeds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "random/comparison.hpp"
#include "random/steps.hpp"

namespace heddle::test::random_kernel {
namespace {

constexpr std::uint64_t seeds = 300;
constexpr int most_failures = 3;

TEST(StepKernels, CpuEqualsInterpreter) {
  std::uint64_t begin = 0, end = seeds;
  if (const char* range = std::getenv("HEDDLE_RANDOM_SEEDS")) {
    begin = std::strtoull(range, nullptr, 10);
    end = std::strtoull(std::string(range).substr(std::string(range).find(':') + 1).c_str(), nullptr, 10);
  }
  int failures = 0;
  for (std::uint64_t seed = begin; seed < end && failures < most_failures; ++seed) {
    const std::string text = step_kernel(seed);
    const Comparison comparison = compare_with_interp(text, run_on_cpu);
    if (comparison.verdict == Verdict::equal) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ", " << name(comparison.verdict) << ": " << comparison.text << "\n" << text;
  }
}

}  // namespace
}  // namespace heddle::test::random_kernel
