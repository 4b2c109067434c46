#include "hits_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parallel.hpp"

namespace heddle::bench::grcuda {
namespace {

constexpr double tolerance = 1e-4;  // of each value

void scale(std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value /= sum;
}

}  // namespace

struct HitsReference::Matrix {
  Matrix(const SparseGraph& graph, bool transposed)
      : begins(graph.vertices() + 1), columns(graph.edges()), values(graph.edges()) {
    graph.write({begins, columns, values}, transposed);
    values[transposed ? graph.first_in_transposed() : 0] = hits_first_value(0);
  }
  template <class X>
  double product(std::size_t row, X&& x) const {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(begins[row]); k < static_cast<std::size_t>(begins[row + 1]); ++k)
      sum += static_cast<double>(values[k]) * x(static_cast<std::size_t>(columns[k]));
    return sum;
  }
  std::vector<int> begins, columns;
  std::vector<float> values;
};

HitsReference::HitsReference(const SparseGraph& graph, std::size_t most_products)
    : matrix_(std::make_unique<Matrix>(graph, false)), transposed_(std::make_unique<Matrix>(graph, true)) {
  const std::size_t n = graph.vertices();
  if (graph.edges() * 2 * hits_iterations <= most_products) {
    compute_all(n);
    return;
  }
  vertices_ = {0, n - 1};
  for (std::size_t i = 0; i < 40; ++i) vertices_.push_back(scramble(i, 42) % n);
  for (const std::size_t vertex : vertices_) {
    authorities_.push_back(authority(vertex, hits_iterations));
    hubs_.push_back(hub(vertex, hits_iterations));
  }
}
HitsReference::~HitsReference() = default;

// Back through the products: a few hundred edges for each vertex. Divisions change all values alike.
double HitsReference::authority(std::size_t vertex, unsigned depth) const {
  if (depth == 0) return 1;
  return transposed_->product(vertex, [&](std::size_t other) { return hub(other, depth - 1); });
}
double HitsReference::hub(std::size_t vertex, unsigned depth) const {
  if (depth == 0) return 1;
  return matrix_->product(vertex, [&](std::size_t other) { return authority(other, depth - 1); });
}

void HitsReference::compute_all(std::size_t n) {
  authorities_.assign(n, 1);
  hubs_.assign(n, 1);
  std::vector<double> a(n), h(n);
  for (unsigned i = 0; i < hits_iterations; ++i) {
    parallel_for(n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        a[row] = transposed_->product(row, [&](std::size_t other) { return hubs_[other]; });
        h[row] = matrix_->product(row, [&](std::size_t other) { return authorities_[other]; });
      }
    });
    scale(a);
    scale(h);
    authorities_.swap(a);
    hubs_.swap(h);
  }
  for (std::size_t vertex = 0; vertex < n; ++vertex) vertices_.push_back(vertex);
}

std::string HitsReference::difference(std::span<const float> authorities, std::span<const float> hubs) const {
  std::string found = difference("authority", authorities, authorities_);
  return found.empty() ? difference("hub", hubs, hubs_) : found;
}

std::string HitsReference::difference(const char* what, std::span<const float> got,
                                      const std::vector<double>& expected) const {
  const auto sum = parallel_sum<double>(got.size(), [&](std::size_t begin, std::size_t end) {
    double own = 0;
    for (std::size_t i = begin; i < end; ++i) own += got[i];
    return own;
  });
  if (!(std::abs(sum - 1) <= tolerance)) return fmt::format("the values of {} sum up to {:.9g}", what, sum);
  double known = 0, wanted = 0;
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    known += got[vertices_[i]];
    wanted += expected[i];
  }
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    const double value = got[vertices_[i]] / known, right = expected[i] / wanted;
    if (!(std::abs(value - right) <= tolerance * std::max(std::abs(right), 1e-30)))
      return fmt::format("the {} of vertex {} is {:.9g} of the others', and should be {:.9g}", what, vertices_[i],
                         value, right);
  }
  return {};
}

}  // namespace heddle::bench::grcuda
