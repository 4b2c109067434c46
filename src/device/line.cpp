#include "device/line.hpp"

#include <boost/dynamic_bitset.hpp>

namespace heddle::device {

std::vector<bool> launches_in_line(std::span<const GraphLaunch> launches) {
  using Set = boost::dynamic_bitset<>;
  const std::size_t n = launches.size();
  std::vector<Set> before(n, Set(n));
  std::vector<std::size_t> behind(n, 0);  // how many come behind it
  for (std::size_t i = 0; i < n; ++i) {
    for (const unsigned parent : launches[i].parents) before[i] |= Set(before[parent]).set(parent);
    for (std::size_t j = before[i].find_first(); j != Set::npos; j = before[i].find_next(j)) ++behind[j];
  }
  std::vector<bool> line(n, false);
  const auto is_alone = [&](std::size_t i) { return before[i].count() == i && behind[i] == n - 1 - i; };
  for (std::size_t i = 1; i < n; ++i)
    line[i] = launches[i].parents.size() == 1 && launches[i].parents.front() == i - 1 && is_alone(i - 1) && is_alone(i);
  return line;
}

}  // namespace heddle::device
