// Interpolation of scattered data: values at some points of a space of few dimensions give values elsewhere.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace heddle::knowledge {

using Point = std::vector<double>;

double distance(const Point& a, const Point& b);
// The place of the point that is nearest to `at`, by Euclidean distance; of equal ones the first. `points` is not
// empty.
std::size_t nearest(std::span<const Point> points, const Point& at);

// s(x) = c + sum of w_i |x - x_i|, with the sum of the w_i = 0: radial basis functions (Hardy's multiquadric with shape
// 0) with a constant term. It passes through all values. It needs no shape parameter, its system has one solution for
// any set of distinct points (-|x| is conditionally positive definite of order 1: Micchelli, 1986), and far from the
// points it stays bounded, so that sizes never seen before give no wild shares. Points that are the same count once,
// with the mean of their values.
class RadialBasis {
 public:
  // One value for each point; at least one. All points have the same dimensions. O(n^3) for n points.
  RadialBasis(std::span<const Point> points, std::span<const double> values);
  double at(const Point& point) const;

 private:
  std::vector<Point> points_;
  std::vector<double> weights_;
  double constant_ = 0;
};

// Solves a dense system by elimination with partial pivoting. `matrix` has n rows of n. Throws invalid_argument where
// it is singular.
std::vector<double> solve(std::vector<double> matrix, std::vector<double> right);

}  // namespace heddle::knowledge
