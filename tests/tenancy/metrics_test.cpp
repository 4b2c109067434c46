// L27: figures of a trace that was computed by hand.
#include "tenancy/metrics.hpp"

#include <gtest/gtest.h>

namespace heddle::tenancy {
namespace {

TEST(Metrics, OfATraceComputedByHand) {
  // Ten requests in two seconds; one more has not ended.
  const TenantResult tenant{.name = "search",
                            .latencies = {0.010, 0.012, 0.011, 0.040, 0.010, 0.013, 0.012, 0.090, 0.011, 0.010},
                            .unfinished = 1,
                            .seconds = 2};
  EXPECT_DOUBLE_EQ(tenant.rate(), 5);
  EXPECT_DOUBLE_EQ(quantile(tenant.latencies, 0.5), 0.011);
  EXPECT_DOUBLE_EQ(quantile(tenant.latencies, 0.9), 0.040);
  EXPECT_DOUBLE_EQ(quantile(tenant.latencies, 0.99), 0.090);
  EXPECT_DOUBLE_EQ(slo_attainment(tenant, 0.015), 8.0 / 11);
  EXPECT_DOUBLE_EQ(goodput(tenant, 0.015), 4);
  EXPECT_DOUBLE_EQ(throughput({30, 2}, {40, 8}), 1);
  EXPECT_DOUBLE_EQ(capacity_saving(74, 100), 0.26);
}

TEST(Metrics, OfNothing) {
  EXPECT_EQ(quantile({}, 0.99), 0);
  EXPECT_EQ(mean({}), 0);
  EXPECT_EQ(slo_attainment({}, 1), 1);
  EXPECT_EQ(goodput({}, 1), 0);
  EXPECT_EQ(throughput({1}, {0}), 0);
  EXPECT_EQ(capacity_saving(1, 0), 0);
}

}  // namespace
}  // namespace heddle::tenancy
