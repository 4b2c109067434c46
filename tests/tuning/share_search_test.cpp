// The traces of shares that follow from the paper's text, for devices of constant speed.
#include "tuning/share_search.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::tuning {
namespace {

std::vector<double> trace(double ideal, int count) {
  std::vector<double> shares;
  ShareSearch search;
  for (int i = 0; i < count; ++i) {
    const double x = search.gpu_share();
    shares.push_back(100 * x);
    search.finished_first(x / ideal < (1 - x) / (1 - ideal) ? Side::gpu : Side::cpu);
  }
  return shares;
}

TEST(ShareSearch, GoldenTraceForEightyPercent) {
  EXPECT_EQ(trace(0.8, 8), (std::vector<double>{50, 75, 87.5, 81.25, 78.125, 79.6875, 80.46875, 80.078125}));
}

TEST(ShareSearch, GoldenTraceForNinetyFivePercent) {
  EXPECT_EQ(trace(0.95, 8), (std::vector<double>{50, 75, 87.5, 93.75, 96.875, 95.3125, 94.53125, 94.921875}));
}

TEST(ShareSearch, HalvesTheTransferablePart) {
  ShareSearch search;
  for (double part = 1; part > 1e-6; part /= 2) {
    EXPECT_EQ(search.transferable(), part);
    search.finished_first(Side::cpu);
  }
  EXPECT_LT(search.gpu_share(), 1e-6);
}

TEST(ShareSearch, AWindowStaysWithinTheWork) {
  EXPECT_EQ(ShareSearch(0.8, 0.125).gpu_share(), 0.8);
  EXPECT_EQ(ShareSearch(1, 0.125).gpu_share(), 0.9375);
  EXPECT_EQ(ShareSearch(0, 0.125).gpu_share(), 0.0625);
}

}  // namespace
}  // namespace heddle::tuning
