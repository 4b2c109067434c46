#include "daemon/arbiter.hpp"

#include <algorithm>
#include <cstddef>

#include "sched/policy/lithos/units.hpp"

namespace heddle::daemon {
namespace {

using sched::TenantClass;

// Those of the awake tenants that borrow: batch tenants, or all if there is none.
std::vector<std::size_t> borrowers_of(const std::vector<TenantState>& tenants) {
  std::vector<std::size_t> batch, all;
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    if (!tenants[i].awake) continue;
    all.push_back(i);
    if (tenants[i].settings.kind == TenantClass::batch) batch.push_back(i);
  }
  return batch.empty() ? all : batch;
}

}  // namespace

std::vector<Grant> arbitrate(const std::vector<TenantState>& tenants, unsigned units) {
  units = std::min<unsigned>(units, most_units);
  std::vector<sched::Tenant> owners(tenants.size());
  std::vector<const sched::Tenant*> list;
  double left = 1;  // of the device
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    owners[i].settings = tenants[i].settings;
    double& quota = owners[i].settings.quota;
    quota = std::min(quota, left);
    left -= quota;
    list.push_back(&owners[i]);
  }
  sched::lithos::Quotas quotas;
  quotas.assign(list, units);
  std::vector<Grant> grants(tenants.size());
  std::vector<unsigned> lent;
  for (unsigned unit = 0; unit < units; ++unit) {
    const int owner = quotas.owner(unit);
    if (owner != sched::lithos::Quotas::nobody) grants[static_cast<std::size_t>(owner)].units.set(unit);
    if (owner == sched::lithos::Quotas::nobody || !tenants[static_cast<std::size_t>(owner)].awake) lent.push_back(unit);
  }
  const std::vector<std::size_t> borrowers = borrowers_of(tenants);
  if (borrowers.empty()) return grants;
  for (std::size_t i = 0; i < lent.size(); ++i)
    grants[borrowers[i * borrowers.size() / lent.size()]].units.set(lent[i]);
  // Fewer units than borrowers: they share the last one.
  if (!lent.empty())
    for (const std::size_t borrower : borrowers)
      if (grants[borrower].units.none()) grants[borrower].units.set(lent.back());
  return grants;
}

}  // namespace heddle::daemon
