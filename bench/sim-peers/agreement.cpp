#include "agreement.hpp"

#include <algorithm>

#include "support/statistics.hpp"

namespace heddle::bench::peers {

std::vector<double> relative_factors(const std::vector<double>& simulated, const std::vector<double>& measured) {
  std::vector<double> factors;
  for (std::size_t i = 0; i < simulated.size(); ++i) factors.push_back(simulated[i] / measured[i]);
  const double common = geometric_mean(factors);
  for (double& factor : factors) factor /= common;
  return factors;
}

double distance_of_ratios(const std::vector<double>& simulated, const std::vector<double>& measured) {
  double sum = 0;
  for (const double factor : relative_factors(simulated, measured)) sum += std::max(factor, 1 / factor) - 1;
  return sum / static_cast<double>(simulated.size());
}

}  // namespace heddle::bench::peers
