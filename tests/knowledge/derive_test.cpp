#include "knowledge/derive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::knowledge {
namespace {

using testing::HasSubstr;

Profile profile(const char* program, std::vector<double> extents, double share, Fission fission = Fission::l2) {
  return {.subject = {program, "machine", "all"},
          .workload = {std::move(extents), false},
          .configuration = {.gpu_share = share, .fission = fission, .overlap = 3, .groups = {128}},
          .best_seconds = 1};
}
const Subject a{"a", "machine", "all"};

TEST(Derive, NothingIsKnownAtFirst) { EXPECT_FALSE(derive({}, a, {{1024}})); }

TEST(Derive, OneProfileGivesItsShareToAll) {
  const std::vector<Profile> known{profile("a", {1024, 1024}, 0.875)};
  const auto made = derive(known, a, {{4288, 2848}});
  ASSERT_TRUE(made);
  EXPECT_DOUBLE_EQ(made->configuration.gpu_share, 0.875);
  EXPECT_EQ(made->configuration.groups, std::vector<unsigned>{128});
  EXPECT_EQ(made->origin, Origin::derived);
  EXPECT_EQ(made->best_seconds, never_run);
}

TEST(Derive, TheShareIsInterpolatedAndTheRestIsTheNearestOnes) {
  const std::vector<Profile> known{profile("a", {1 << 10}, 0.5, Fission::l1), profile("a", {1 << 20}, 0.9)};
  const auto made = derive(known, a, {{1 << 14}});
  ASSERT_TRUE(made);
  EXPECT_NEAR(made->configuration.gpu_share, 0.66, 1e-9);
  EXPECT_EQ(made->configuration.fission, Fission::l1);
  EXPECT_THAT(made->why, HasSubstr("between 2 profiles of this program"));
}

TEST(Derive, FourDimensionsTakeTheNearest) {
  const std::vector<Profile> known{profile("a", {2, 2, 2, 2}, 0.3), profile("a", {64, 64, 64, 64}, 0.8)};
  EXPECT_DOUBLE_EQ(derive(known, a, {{32, 32, 64, 32}})->configuration.gpu_share, 0.8);
}

TEST(Derive, NarrowsInThreeStages) {
  std::vector<Profile> known{profile("c", {77}, 0.1)};
  EXPECT_DOUBLE_EQ(derive(known, a, {{1024}})->configuration.gpu_share, 0.1);
  EXPECT_TRUE(derive(known, a, {{1024}})->configuration.groups.empty());  // another program has other kernels
  known.push_back(profile("b", {1024}, 0.6));
  EXPECT_DOUBLE_EQ(derive(known, a, {{1024}})->configuration.gpu_share, 0.6);
  known.push_back(profile("a", {1 << 20}, 0.9));
  EXPECT_DOUBLE_EQ(derive(known, a, {{1024}})->configuration.gpu_share, 0.9);
  EXPECT_FALSE(derive(known, a, {{4, 4, 4}}));
}

TEST(Derive, AnotherMachineOrShareOfADeviceCountsForNothing) {
  std::vector<Profile> known{profile("a", {1024}, 0.9), profile("a", {1024}, 0.9)};
  known[0].subject.machine = "other";
  known[1].subject.share = "sms=0-31";
  EXPECT_FALSE(derive(known, a, {{1024}}));
  const auto made = derive(known, {"a", "machine", "sms=0-31"}, {{2048}});
  ASSERT_TRUE(made);
  EXPECT_DOUBLE_EQ(made->configuration.gpu_share, 0.9);
}

TEST(Derive, ProfilesThatNeverRanCountOnlyAlone) {
  std::vector<Profile> known{profile("a", {1024}, 0.9), profile("a", {2048}, 0.1)};
  known[1].best_seconds = never_run;
  EXPECT_DOUBLE_EQ(derive(known, a, {{2047}})->configuration.gpu_share, 0.9);
  known.erase(known.begin());
  EXPECT_DOUBLE_EQ(derive(known, a, {{2047}})->configuration.gpu_share, 0.1);
}

}  // namespace
}  // namespace heddle::knowledge
