// Which units each tenant of a node may use: the policy "lithos" between processes.
#pragma once

#include <vector>

#include "daemon/page.hpp"
#include "sched/tenant.hpp"

namespace heddle::daemon {

// One tenant, as the arbiter sees it.
struct TenantState {
  sched::TenantSettings settings;
  bool awake = false;
};

// A grant for each tenant, of so many units together. `tenants`: in the order in which they came. One whose quota is
// more than those before it leave has what is left, so that no tenant can shrink another's. A tenant always has its own
// units, so that it can start at once when it wakes. Units of tenants that sleep, and of nobody, are lent to those that
// are awake: to batch tenants first, in equal parts. With one unit or more, nobody who is awake is left without, if any
// unit is lent.
std::vector<Grant> arbitrate(const std::vector<TenantState>& tenants, unsigned units);

}  // namespace heddle::daemon
