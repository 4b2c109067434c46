// The first small random kernels under every policy; heddle_policy_fuzz runs ten thousand (docs/testing.md).
#include "device/sim/policy_fuzz.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "device/sim/policies/registry.hpp"

namespace heddle::device::sim {
namespace {

TEST(PolicyFuzz, SmallKernelsGiveTheSameUnderEveryPolicy) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const FuzzResult result = fuzz_seed(seed);
    EXPECT_EQ(result.difference, "") << "seed " << seed;
    EXPECT_EQ(result.runs, fuzz_policies(seed).size());
    EXPECT_GT(result.thread_instructions, 0u);
  }
}

// Each value of each policy is tried within a few seeds.
TEST(PolicyFuzz, TriesEveryPolicy) {
  std::set<std::string> tried;
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    for (const std::string& policies : fuzz_policies(seed)) {
      std::string rest = policies + ",";
      for (std::size_t comma = rest.find(','); comma != rest.npos; comma = rest.find(',')) {
        tried.insert(rest.substr(0, comma));
        rest.erase(0, comma + 1);
      }
    }
  for (const std::string& line : policy_names()) {
    const std::string seam = line.substr(0, line.find(':'));
    std::string rest = line.substr(seam.size() + 2) + ", ";
    for (std::size_t comma = rest.find(", "); comma != rest.npos; comma = rest.find(", ")) {
      const std::string value = rest.substr(0, comma);
      rest.erase(0, comma + 2);
      const bool by_default =
          value == "pdom" || value == "single" || value == "round-robin" || value == "oldest-instruction";
      EXPECT_TRUE(by_default || tried.contains(seam + "=" + value)) << seam << "=" << value;
    }
  }
}

}  // namespace
}  // namespace heddle::device::sim
