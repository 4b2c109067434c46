// The loads of the experiments, and what they are compared with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenancy/experiment.hpp"

namespace heddle::bench::lithos {

struct Settings {
  std::uint64_t requests = 1000;  // of the latency tenant, in each run
  std::uint64_t eight = 100'000;  // of eight tenants together
  std::uint64_t seed = 1;
};

constexpr unsigned units = 66, grain = 2;

// All policies of the comparison, in the order of the tables.
const std::vector<std::string>& policies();

// A latency tenant that is asked for so large a part of what it can do alone.
tenancy::TenantLoad serving(std::string_view model, double quota, double load);
// One that always has work.
tenancy::TenantLoad closed(std::string_view model, sched::TenantClass kind = sched::TenantClass::batch,
                           double quota = 0);
// So long that a load of this model has so many requests.
tenancy::ExperimentOptions options_for(const Settings& settings, std::string_view model, double load);
tenancy::Outcome run(const std::string& policy, const std::vector<tenancy::TenantLoad>& loads,
                     const tenancy::ExperimentOptions& options);

}  // namespace heddle::bench::lithos
