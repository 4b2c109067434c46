#include "knowledge/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fail.hpp"

namespace heddle::knowledge {

double distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

std::size_t nearest(std::span<const Point> points, const Point& at) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (distance(points[i], at) < distance(points[best], at)) best = i;
  return best;
}

std::vector<double> solve(std::vector<double> matrix, std::vector<double> right) {
  const std::size_t n = right.size();
  const auto cell = [&](std::size_t row, std::size_t column) -> double& { return matrix[row * n + column]; };
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < n; ++row)
      if (std::abs(cell(row, k)) > std::abs(cell(pivot, k))) pivot = row;
    if (cell(pivot, k) == 0) base::fail(ErrorCode::invalid_argument, "the system of equations is singular");
    for (std::size_t column = 0; column < n && pivot != k; ++column) std::swap(cell(k, column), cell(pivot, column));
    std::swap(right[k], right[pivot]);
    for (std::size_t row = k + 1; row < n; ++row) {
      const double factor = cell(row, k) / cell(k, k);
      if (factor == 0) continue;
      for (std::size_t column = k; column < n; ++column) cell(row, column) -= factor * cell(k, column);
      right[row] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t column = k + 1; column < n; ++column) right[k] -= cell(k, column) * right[column];
    right[k] /= cell(k, k);
  }
  return right;
}

RadialBasis::RadialBasis(std::span<const Point> points, std::span<const double> values) {
  if (points.empty() || points.size() != values.size())
    base::fail(ErrorCode::invalid_argument, "an interpolation needs one value for each of its points, and a point");
  std::vector<double> sums;
  std::vector<double> counts;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto same = std::find(points_.begin(), points_.end(), points[i]);
    const auto place = static_cast<std::size_t>(same - points_.begin());
    if (same == points_.end()) {
      points_.push_back(points[i]);
      sums.push_back(0);
      counts.push_back(0);
    }
    sums[place] += values[i];
    counts[place] += 1;
  }
  // The rows of the points, and below them that the weights' sum is 0.
  const std::size_t count = points_.size(), n = count + 1;
  std::vector<double> matrix(n * n, 0), right(n, 0);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = 0; column < count; ++column)
      matrix[row * n + column] = distance(points_[row], points_[column]);
    matrix[row * n + count] = matrix[count * n + row] = 1;
    right[row] = sums[row] / counts[row];
  }
  weights_ = solve(std::move(matrix), std::move(right));
  constant_ = weights_.back();
  weights_.pop_back();
}

double RadialBasis::at(const Point& point) const {
  double value = constant_;
  for (std::size_t i = 0; i < points_.size(); ++i) value += weights_[i] * distance(points_[i], point);
  return value;
}

}  // namespace heddle::knowledge
