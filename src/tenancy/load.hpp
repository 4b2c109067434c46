// What a tenant has to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "sched/tenant.hpp"
#include "tenancy/arrivals.hpp"
#include "tenancy/kernel_model.hpp"

namespace heddle::tenancy {

struct TenantLoad {
  sched::TenantSettings settings;
  ModelSequence model;
  Arrivals arrivals = Arrivals::closed;
  double rate = 0;       // requests a second; of open loads
  unsigned streams = 1;  // requests that are processed at the same time, each in a queue of its own
  // Changes the launches of a request: kernels that are left out (H5). Null: all of them.
  std::function<bool(std::uint64_t request, std::size_t kernel)> launches = {};
};

}  // namespace heddle::tenancy
