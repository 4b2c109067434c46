#include "tenancy/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::tenancy {
namespace {

std::uint64_t within(const TenantResult& tenant, double limit) {
  return static_cast<std::uint64_t>(std::count_if(tenant.latencies.begin(), tenant.latencies.end(),
                                                  [limit](double seconds) { return seconds <= limit; }));
}

}  // namespace

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const double rank = std::ceil(part * static_cast<double>(values.size()) - 1e-9);
  const auto index = static_cast<std::size_t>(std::clamp(rank - 1, 0.0, static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
  return values[index];
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double slo_attainment(const TenantResult& tenant, double limit) {
  const std::uint64_t all = tenant.latencies.size() + tenant.unfinished;
  return all == 0 ? 1 : static_cast<double>(within(tenant, limit)) / static_cast<double>(all);
}

double goodput(const TenantResult& tenant, double limit) {
  return tenant.seconds > 0 ? static_cast<double>(within(tenant, limit)) / tenant.seconds : 0;
}

double capacity_saving(double unit_seconds, double unit_seconds_without) {
  return unit_seconds_without > 0 ? 1 - unit_seconds / unit_seconds_without : 0;
}

double throughput(const std::vector<double>& rates, const std::vector<double>& rates_alone) {
  double sum = 0;
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (rates_alone[i] > 0) sum += rates[i] / rates_alone[i];
  return sum;
}

}  // namespace heddle::tenancy
