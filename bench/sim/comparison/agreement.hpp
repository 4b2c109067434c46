// How far two devices agree about the cycles of the same cases.
#pragma once

#include <string>
#include <vector>

namespace heddle::bench::comparison {

struct Pair {
  std::string name;
  bool kernel = false;
  double gpu = 0, simulated = 0;  // cycles
  double error() const { return simulated / gpu - 1; }
};

// Spearman's: of ranks, ties shared.
double rank_correlation(const std::vector<Pair>& pairs);
double mean_absolute_error(const std::vector<Pair>& pairs);
// A point for each pair on two logarithmic axes, with the line where both are equal and the lines 30 % beside it.
std::string scatter_svg(const std::vector<Pair>& pairs, const std::string& gpu, const std::string& simulated);

}  // namespace heddle::bench::comparison
