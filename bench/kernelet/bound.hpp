// Which kernels would run together for how long, so that all of their work takes the least time: what no order of pairs
// can exceed. As a policy it was no faster than Kernelet's choice of the pair that gains most
// (docs/reproduce/kernelet.md).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace heddle::bench::kernelet {

// Two different kernels that can run together, at the speed that each has then: 1 is as fast as alone.
struct Together {
  std::size_t first = 0, second = 0;
  double first_speed = 0, second_speed = 0;
};

// How long each of `pairs` runs; the work that is left runs alone. `work`: of each kernel, the time that it takes
// alone. A linear program: the times are at least 0, each kernel's work is done, and their sum is as small as it can
// be. By the revised simplex method, from the solution in which all run alone. At most as many pairs run as there are
// kernels.
std::vector<double> shortest_plan(std::span<const double> work, std::span<const Together> pairs);

}  // namespace heddle::bench::kernelet
