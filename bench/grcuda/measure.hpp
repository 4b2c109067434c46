// Timing the forms of a benchmark in turns.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "forms.hpp"

namespace heddle::bench::grcuda {

struct Measured {
  std::vector<double> seconds;  // of each form: the median
  std::vector<double> ratios;   // of each form: the median over rounds of its time over the first form's
  unsigned rounds = 0;
  std::string wrong;  // what differs from the reference, in a sentence; empty: nothing
};

struct Effort {
  unsigned rounds = 0;   // 0: as many as fit into the seconds, at least 3 and at most 21
  double seconds = 1.0;  // for all rounds together
};

// `names` of the forms are for what is wrong. Each form runs three times unmeasured. The order in a round changes from
// one to the next. Results of the last round are compared with the benchmark's reference.
Measured measure(Benchmark& benchmark, const std::vector<std::unique_ptr<Form>>& forms, const Shape& shape,
                 const Effort& effort, std::span<const char* const> names = form_names);

}  // namespace heddle::bench::grcuda
