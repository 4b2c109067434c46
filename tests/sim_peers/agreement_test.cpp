// How near ratios between simulated kernels are to a GPU's.
#include <gtest/gtest.h>

#include "sim-peers/agreement.hpp"

namespace heddle::bench::peers {
namespace {

TEST(SimPeers, ACommonFactorIsNoDistance) {
  EXPECT_NEAR(distance_of_ratios({30, 60, 900}, {10, 20, 300}), 0, 1e-12);
  EXPECT_NEAR(distance_of_ratios({1, 2, 30}, {10, 20, 300}), 0, 1e-12);
}

// Twice too long and half as long are as far: both are a factor of 2.
TEST(SimPeers, TooLongAndTooShortCountAlike) {
  EXPECT_NEAR(distance_of_ratios({40, 10}, {20, 20}), 1, 1e-12);
  const auto factors = relative_factors({40, 10}, {20, 20});
  EXPECT_NEAR(factors.at(0), 2, 1e-12);
  EXPECT_NEAR(factors.at(1), 0.5, 1e-12);
}

}  // namespace
}  // namespace heddle::bench::peers
