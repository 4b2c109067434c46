// What HITS must give, in plain C++.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sparse_graph.hpp"

namespace heddle::bench::grcuda {

inline constexpr unsigned hits_iterations = 5;

// The value of the graph's first edge, which is another one in every round.
inline float hits_first_value(unsigned round) { return 1.5f + 0.25f * static_cast<float>(round); }

class HitsReference {
 public:
  // Of round 0. Computes all vertices where that takes up to so many products, else some.
  explicit HitsReference(const SparseGraph& graph, std::size_t most_products = 100'000'000);
  ~HitsReference();

  // What is wrong with the vectors of authorities and hubs, in a sentence; empty: nothing. Both must sum up to 1, and
  // the known values must be in the right relations to each other.
  std::string difference(std::span<const float> authorities, std::span<const float> hubs) const;
  std::size_t known() const { return vertices_.size(); }

 private:
  struct Matrix;
  double authority(std::size_t vertex, unsigned depth) const;
  double hub(std::size_t vertex, unsigned depth) const;
  void compute_all(std::size_t n);
  std::string difference(const char* what, std::span<const float> got, const std::vector<double>& expected) const;

  std::unique_ptr<Matrix> matrix_, transposed_;
  std::vector<std::size_t> vertices_;  // those that are known, and their values
  std::vector<double> authorities_, hubs_;
};

}  // namespace heddle::bench::grcuda
