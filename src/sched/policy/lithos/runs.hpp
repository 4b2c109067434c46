// Runs of units: sets of which there are few, for devices where each new set of processors takes long to make.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sched/policy/lithos/units.hpp"

namespace heddle::sched::lithos {

// Where runs may begin and end, ascending: at multiples of `step`, and where the units of another owner begin. The last
// is the number of units.
inline std::vector<unsigned> borders_of(const Quotas& quotas, unsigned step) {
  std::vector<unsigned> made{0};
  for (unsigned unit = 1; unit < quotas.units(); ++unit)
    if (unit % step == 0 || quotas.owner(unit) != quotas.owner(unit - 1)) made.push_back(unit);
  made.push_back(quotas.units());
  return made;
}

inline UnitSet run_between(unsigned from, unsigned until) {
  UnitSet set;
  for (unsigned unit = from; unit < until; ++unit) set.set(unit);
  return set;
}

// The most successive units between two borders that are all in the set; of equal ones the first. May be empty.
inline UnitSet longest_run(const UnitSet& set, const std::vector<unsigned>& borders) {
  unsigned from = 0, until = 0;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    std::size_t end = i;
    const auto whole = [&](unsigned a, unsigned b) { return (set & run_between(a, b)).count() == b - a; };
    while (end + 1 < borders.size() && whole(borders[end], borders[end + 1])) ++end;
    if (borders[end] - borders[i] > until - from) {
      from = borders[i];
      until = borders[end];
    }
    if (end > i) i = end - 1;
  }
  return run_between(from, until);
}

// At least `want` successive units of the set between two borders, as few as can be; of equal ones those whose last one
// is free first. All of the set if it has no such run.
template <class Busy>
UnitSet first_free_run(const UnitSet& set, const std::vector<unsigned>& borders, unsigned want, Busy&& busy_until) {
  UnitSet best = set;
  std::uint64_t best_end = ~std::uint64_t{0};
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    std::size_t end = i;
    while (end + 1 < borders.size() && borders[end] - borders[i] < want) ++end;
    const unsigned count = borders[end] - borders[i];
    const UnitSet run = run_between(borders[i], borders[end]);
    if (count < want || (run & ~set).any() || count > best.count()) continue;
    std::uint64_t free_at = 0;
    for (unsigned unit = borders[i]; unit < borders[end]; ++unit)
      free_at = std::max<std::uint64_t>(free_at, busy_until(unit));
    if (count == best.count() && free_at >= best_end) continue;
    best = run;
    best_end = free_at;
  }
  return best;
}

}  // namespace heddle::sched::lithos
