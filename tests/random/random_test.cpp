// Random kernels give the same on the CPU device as on the interpreter, bit for bit. HEDDLE_RANDOM_SEEDS=BEGIN:END
// chooses the seeds. The kernels of a seed are the same on every machine for one compiler.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "random/comparison.hpp"
#include "random/steps.hpp"

namespace heddle::test::random_kernel {
namespace {

constexpr int most_failures = 3;

// `hint`: what makes a kernel of that kind smaller.
void compare(std::uint64_t seeds, std::string (*text_of)(std::uint64_t), const char* hint) {
  std::uint64_t begin = 0, end = seeds;
  if (const char* range = std::getenv("HEDDLE_RANDOM_SEEDS")) {
    begin = std::strtoull(range, nullptr, 10);
    end = std::strtoull(std::string(range).substr(std::string(range).find(':') + 1).c_str(), nullptr, 10);
  }
  int failures = 0;
  for (std::uint64_t seed = begin; seed < end && failures < most_failures; ++seed) {
    const std::string text = text_of(seed);
    const Comparison comparison = compare_with_interp(text, run_on_cpu);
    if (comparison.verdict == Verdict::equal) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ", " << name(comparison.verdict) << ": " << comparison.text << "\n"
                  << text << hint;
  }
}

TEST(RandomKernels, CpuEqualsInterpreter) {
  compare(
      200, [](std::uint64_t seed) { return generate(seed).text(); },
      "\n(heddle_random_kernel --seed NUMBER --reduce 60 makes it smaller)");
}

TEST(RandomKernels, OfValuesWithKnownSteps) { compare(300, step_kernel, ""); }

// The kernel of a seed is what its seed says: no register is read before it was written.
TEST(RandomKernels, AreInitialised) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_FALSE(reads_uninitialised(generate(seed).text())) << seed;
}

TEST(RandomKernels, SameSeedSameKernel) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) EXPECT_EQ(generate(seed).text(), generate(seed).text());
}

}  // namespace
}  // namespace heddle::test::random_kernel
