// Figures of tenants that share a device, as LithOS defines them (SOSP 2025, section 6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::tenancy {

// What was measured of one tenant.
struct TenantResult {
  std::string name;
  std::vector<double> latencies;  // seconds, from the arrival of a request to its end; in the order of their ends
  std::uint64_t unfinished = 0;   // requests that have arrived and not ended
  double seconds = 0;             // the time during which requests were counted
  double rate() const { return seconds > 0 ? static_cast<double>(latencies.size()) / seconds : 0; }
};

// The smallest value that so large a part of them does not exceed (nearest rank). Of no values: 0. `part`: 0 to 1.
double quantile(std::vector<double> values, double part);
double mean(const std::vector<double>& values);
// The part of the requests that end within `limit` seconds; those that have not ended do not. Of no requests: 1.
double slo_attainment(const TenantResult& tenant, double limit);
// Requests a second that end within the limit.
double goodput(const TenantResult& tenant, double limit);
// The part of the unit-seconds that right-sizing has saved.
double capacity_saving(double unit_seconds, double unit_seconds_without);
// The sum of each tenant's rate over its rate alone: 1 is as much as any one does alone.
double throughput(const std::vector<double>& rates, const std::vector<double>& rates_alone);

}  // namespace heddle::tenancy
