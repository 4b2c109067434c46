// Row 15 of the checklist in docs/testing.md: CT, TC, CC, TOT and the bound, of timelines whose answers are known.
#include "trace/measures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/error.hpp"
#include "trace/trace_text.hpp"

namespace heddle::trace {
namespace {

using testing::HasSubstr;

// Two branches that share a copy, and a last kernel behind both.
Timeline diamond() {
  return timeline({copy(1, 0, 100, R"("task":1,"behind":[])"), launch("left", 1, 100, 60, R"("task":2,"behind":[1])"),
                   launch("right", 2, 100, 80, R"("task":3,"behind":[1])"), copy(3, 140, 60, R"("task":4,"behind":[])"),
                   launch("last", 1, 200, 20, R"("task":5,"behind":[2,3],"waits":[3])")});
}

TEST(Measures, AreThoseOfGrcuda) {
  const Measures found = measure(diamond());
  EXPECT_EQ(found.kernels, 3u);
  EXPECT_EQ(found.transfers, 2u);
  EXPECT_NEAR(found.seconds, 220e-6, 1e-12);
  EXPECT_NEAR(found.overlap.ct, (20.0 + 40) / 160, 1e-9);
  EXPECT_NEAR(found.overlap.tc, 40.0 / 160, 1e-9);
  EXPECT_NEAR(found.overlap.cc, 120.0 / 160, 1e-9);
  // left: all of it beside right. right: that, and 20 beside the second copy alone.
  EXPECT_NEAR(found.overlap.tot, (60.0 + 80) / 320, 1e-9);
  EXPECT_NEAR(found.path_seconds.value(), 200e-6, 1e-12);  // copy, right, last
}

TEST(Measures, AreNothingWhereOneRunsAfterTheOther) {
  const Measures found =
      measure(timeline({copy(1, 0, 10), launch("a", 2, 10, 10), launch("b", 1, 20, 10), copy(1, 30, 5)}));
  EXPECT_EQ(found.overlap.ct, 0);
  EXPECT_EQ(found.overlap.tc, 0);
  EXPECT_EQ(found.overlap.cc, 0);
  EXPECT_EQ(found.overlap.tot, 0);
  EXPECT_FALSE(found.path_seconds.has_value());  // nothing is known of dependences
}

TEST(Measures, TheBoundHasTheTimesOfTheSerialRun) {
  const Timeline serial = timeline({copy(1, 0, 50, R"("task":1)"), launch("left", 1, 100, 45, R"("task":2)"),
                                    launch("right", 1, 150, 30, R"("task":3)"), copy(1, 190, 10, R"("task":4)"),
                                    launch("last", 1, 300, 15, R"("task":5)")});
  EXPECT_NEAR(measure(diamond(), &serial).path_seconds.value(), (50 + 45 + 15) * 1e-6, 1e-12);
  const Timeline other = timeline({copy(1, 0, 50, R"("task":1)"), launch("left", 1, 100, 45, R"("task":2)")});
  try {
    measure(diamond(), &other);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("kernel right is there 0 times"));
  }
}

TEST(Measures, HaveAHistoryOfEachKernel) {
  const Measures found =
      measure(timeline({launch("a", 1, 0, 10, R"("grid":"1 x 1 x 1","block":"32 x 1 x 1")"), launch("b", 1, 10, 1),
                        launch("a", 1, 20, 30, R"("grid":"4 x 1 x 1","block":"64 x 1 x 1","shared":128)")}));
  ASSERT_EQ(found.by_kernel.size(), 2u);
  const KernelFigures& a = found.by_kernel[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.launches, 2u);
  EXPECT_NEAR(a.mean_seconds, 20e-6, 1e-12);
  EXPECT_NEAR(a.last_seconds, 30e-6, 1e-12);
  EXPECT_NEAR(a.total_seconds, 40e-6, 1e-12);
  EXPECT_EQ(a.last_grid, "4 x 1 x 1");
  EXPECT_EQ(a.last_block, "64 x 1 x 1");
  EXPECT_EQ(a.last_shared, 128u);
}

TEST(Measures, OfNothingAreNothing) {
  const Measures found = measure(timeline({}));
  EXPECT_EQ(found.seconds, 0);
  EXPECT_TRUE(found.by_kernel.empty());
}

}  // namespace
}  // namespace heddle::trace
