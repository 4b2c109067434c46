// Units: the processors of a device that can only be given together (TPCs of a GPU), and which tenant owns which.
#pragma once

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "sched/tenant.hpp"

namespace heddle::sched::lithos {

constexpr std::size_t most_units = 512;
using UnitSet = std::bitset<most_units>;

// The processors of these units; empty for all units of the device.
inline std::vector<unsigned> processors_of(const UnitSet& set, unsigned units, unsigned grain, unsigned processors) {
  std::vector<unsigned> all;
  if (set.count() == units) return all;
  for (unsigned unit = 0; unit < units; ++unit)
    if (set[unit])
      for (unsigned p = unit * grain; p < std::min((unit + 1) * grain, processors); ++p) all.push_back(p);
  return all;
}

// Contiguous units for each tenant, by its quota, in the order of the tenants. Quotas that sum to more than 1 shrink in
// proportion. With a step above 1, tenants get multiples of so many units (GPCs), to the nearest.
class Quotas {
 public:
  static constexpr int nobody = -1;

  void assign(std::span<const Tenant* const> tenants, unsigned units, unsigned step = 1) {
    double sum = 0;
    for (const Tenant* tenant : tenants) sum += std::max(tenant->settings.quota, 0.0);
    const double scale = sum > 1 ? 1 / sum : 1;
    owner_.assign(units, nobody);
    const double steps = static_cast<double>(units / step);
    double before = 0;
    for (std::size_t i = 0; i < tenants.size(); ++i) {
      const double after = before + std::max(tenants[i]->settings.quota, 0.0) * scale;
      const auto from = static_cast<unsigned>(std::lround(before * steps)) * step;
      const auto to = static_cast<unsigned>(std::lround(after * steps)) * step;
      std::fill(owner_.begin() + from, owner_.begin() + std::min(to, units), static_cast<int>(i));
      before = after;
    }
  }
  unsigned units() const { return static_cast<unsigned>(owner_.size()); }
  // The owner's place among the tenants, or nobody.
  int owner(unsigned unit) const { return owner_[unit]; }
  UnitSet owned_by(int tenant) const {
    UnitSet set;
    for (unsigned unit = 0; unit < owner_.size(); ++unit) set[unit] = owner_[unit] == tenant;
    return set;
  }

 private:
  std::vector<int> owner_;
};

}  // namespace heddle::sched::lithos
