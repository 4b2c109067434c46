// Runs the loads of several tenants together, for a time, and says what each got.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/clients.hpp"
#include "gpu/machine.hpp"

namespace heddle::bench::lithos_gpu {

// Of one tenant, in the time that was measured.
struct Share {
  std::vector<double> latencies;  // seconds, of the requests that arrived in it
  double rate = 0;                // seconds of its sequence, alone, a second: 1 is as fast as alone
  double least_second = 0;        // the least such rate over any second
  double quantile(double part) const;
  double mean() const;
  double attainment(double limit) const;  // part of the requests that ended in time
};

struct Together {
  std::vector<Share> tenants;
  std::map<std::string, double> figures;  // of the policy, in that time
};

// `seconds` are measured after the settings' warm-up. Tenants exist only during the call.
Together run_together(Machine& machine, const Settings& settings, const std::vector<Load>& loads, double seconds);

}  // namespace heddle::bench::lithos_gpu
