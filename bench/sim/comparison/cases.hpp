// What is run on a GPU and on a simulated one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "measure.hpp"

namespace heddle::bench::comparison {

struct Case {
  std::string name;
  bool kernel = false;  // a whole kernel: cycles of a launch; else cycles of one repetition of an instruction
  std::function<double(Measure&)> cycles;
};

// Latencies and throughputs, written in PTX: the difference between many and few repetitions of a loop.
std::vector<Case> microbenchmarks();
// Kernels of bench/cpu, compiled; `folder` has their PTX. Cycles of one of several launches that follow each other,
// less those of a kernel that does nothing.
std::vector<Case> kernels(const std::string& folder, Sizes sizes = Sizes::full);

}  // namespace heddle::bench::comparison
