#include "knowledge/interpolation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "heddle/error.hpp"

namespace heddle::knowledge {
namespace {

TEST(Interpolation, PassesThroughItsPointsInOneToThreeDimensions) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> where(0, 30), value(0, 1);
  for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions) {
    std::vector<Point> points(60, Point(dimensions));
    std::vector<double> values(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (double& x : points[i]) x = where(random);
      values[i] = value(random);
    }
    const RadialBasis basis(points, values);
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(basis.at(points[i]), values[i], 1e-9);
  }
}

TEST(Interpolation, IsLinearBetweenTwoPointsAndBoundedBehindThem) {
  const std::vector<Point> points{{10}, {20}};
  const std::vector<double> values{0.5, 0.9};
  const RadialBasis basis(points, values);
  EXPECT_NEAR(basis.at({15}), 0.7, 1e-12);
  EXPECT_NEAR(basis.at({1000}), 0.9, 1e-12);
  EXPECT_NEAR(basis.at({-1000}), 0.5, 1e-12);
}

TEST(Interpolation, OnePointIsAConstantAndEqualPointsCountOnce) {
  EXPECT_DOUBLE_EQ(RadialBasis(std::vector<Point>{{3, 4}}, std::vector<double>{0.25}).at({9, 9}), 0.25);
  const std::vector<Point> points{{1}, {1}, {2}};
  const std::vector<double> values{0.2, 0.4, 0.9};
  EXPECT_NEAR(RadialBasis(points, values).at({1}), 0.3, 1e-12);
}

TEST(Interpolation, TheNearestIsByEuclideanDistance) {
  const std::vector<Point> points{{0, 0, 0, 5}, {3, 0, 0, 0}, {2, 2, 2, 2}};
  EXPECT_EQ(nearest(points, {0, 0, 0, 0}), 1u);
  EXPECT_DOUBLE_EQ(distance(points[2], {0, 0, 0, 0}), 4);
}

TEST(Interpolation, ASingularSystemAndMissingValuesAreRefused) {
  EXPECT_THROW(solve({1, 2, 2, 4}, {1, 2}), Error);
  EXPECT_THROW(RadialBasis(std::vector<Point>{{1}}, std::vector<double>{}), Error);
}

}  // namespace
}  // namespace heddle::knowledge
