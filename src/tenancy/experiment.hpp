// Tenants with their load on a virtual GPU, under the real dispatcher and a policy, in virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sched/policy.hpp"
#include "sched/tenant.hpp"
#include "tenancy/load.hpp"
#include "tenancy/metrics.hpp"
#include "tenancy/virtual_gpu.hpp"

namespace heddle::tenancy {

// What can be changed while it runs.
class Control {
 public:
  virtual ~Control() = default;
  virtual VirtualGpu& gpu() = 0;
  // Of the tenant of a load, by its place.
  virtual void set(std::size_t tenant, const sched::TenantSettings& settings) = 0;
};

struct ExperimentOptions {
  VirtualGpuShape gpu = {};
  double seconds = 10;         // virtual
  double warm_up = 1;          // requests that arrive before are not counted
  std::uint64_t requests = 0;  // of open loads together, after which it ends; 0: after `seconds`
  std::uint64_t seed = 1;
  std::function<void(Control& control, double now)> every = {};  // called every 10 ms; null: nothing
  // Called when the policy has decided; null: nothing.
  std::function<void(const sched::View& view, const std::vector<sched::Decision>& decisions)> observe = {};
};

struct Outcome {
  std::vector<TenantResult> tenants;
  double seconds = 0;
  double utilisation = 0;  // of the units
  double joules = 0;
  std::uint64_t ranges = 0;
  std::uint64_t digest = 0;  // of all latencies: equal for equal runs
};

// The same arguments, and a policy that is used by this run alone, give the same outcome.
Outcome run(sched::Policy& policy, const std::vector<TenantLoad>& loads, const ExperimentOptions& options);
Outcome run(std::unique_ptr<sched::Policy> policy, const std::vector<TenantLoad>& loads,
            const ExperimentOptions& options);

}  // namespace heddle::tenancy
