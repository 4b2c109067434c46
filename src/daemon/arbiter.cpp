#include "daemon/arbiter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "sched/policy/lithos/units.hpp"

namespace heddle::daemon {
namespace {

using sched::TenantClass;
using sched::lithos::Quotas;

// Those of the awake tenants that borrow: batch tenants, or all without batch tenants. Without lending, those who own
// no unit.
std::vector<std::size_t> borrowers_of(const std::vector<TenantState>& tenants, const std::vector<Grant>& own,
                                      bool lend) {
  std::vector<std::size_t> batch, all;
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    if (!tenants[i].awake || (!lend && own[i].units.any())) continue;
    all.push_back(i);
    if (tenants[i].settings.kind == TenantClass::batch) batch.push_back(i);
  }
  return batch.empty() ? all : batch;
}

}  // namespace

std::vector<Grant> arbitrate(const std::vector<TenantState>& tenants, unsigned units, bool lend) {
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
  Quotas quotas;
  quotas.assign(list, units);
  std::vector<Grant> grants(tenants.size());
  for (Grant& grant : grants) grant.of_units = units;
  std::vector<unsigned> lent;
  for (unsigned unit = 0; unit < units; ++unit) {
    const int owner = quotas.owner(unit);
    if (owner != Quotas::nobody) {
      Grant& grant = grants[static_cast<std::size_t>(owner)];
      grant.units.set(unit);
      ++grant.own_units;
    }
    if (owner == Quotas::nobody || (lend && !tenants[static_cast<std::size_t>(owner)].awake)) lent.push_back(unit);
  }
  const std::vector<std::size_t> borrowers = borrowers_of(tenants, grants, lend);
  if (borrowers.empty()) return grants;
  for (std::size_t i = 0; i < lent.size(); ++i)
    grants[borrowers[i * borrowers.size() / lent.size()]].units.set(lent[i]);
  // Fewer units than borrowers: they share the last one.
  if (!lent.empty())
    for (const std::size_t borrower : borrowers)
      if (grants[borrower].units.none()) grants[borrower].units.set(lent.back());
  return grants;
}

std::string why(const Arbiter& arbiter, const std::vector<TenantState>& tenants, const std::vector<Grant>& grants,
                std::size_t tenant) {
  const Grant& grant = grants[tenant];
  constexpr std::size_t most_named = 3;
  std::string others;
  std::size_t count = 0;
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    if (i == tenant || !tenants[i].awake || (grants[i].units & ~grant.units).none()) continue;
    if (++count > most_named) continue;
    others +=
        fmt::format("{}'{}' has {}", others.empty() ? "" : ", ", tenants[i].settings.name, grants[i].units.count());
  }
  if (count > most_named) others += fmt::format(" and {} more", count - most_named);
  const std::size_t units = grant.units.count();
  if (units == 0 && others.empty()) return fmt::format("no units: {}", arbiter.rule());
  if (units == 0) return fmt::format("waits: {}; {}", others, arbiter.rule());
  return fmt::format("{} of {} units; {}{}{}", units, grant.of_units, others, others.empty() ? "" : "; ",
                     arbiter.rule());
}

}  // namespace heddle::daemon
