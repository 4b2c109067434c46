// What works on this machine, and what is missing for the rest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "doctor/finding.hpp"

namespace heddle::doctor {

struct Report {
  std::vector<Finding> findings;
  // All that is essential is ok: kernels in CUDA C++ are compiled (by clang, or by NVRTC where $HEDDLE_COMPILER says
  // so), and they and those in PTX run on the CPU device.
  bool works = false;
};

// Takes a second or so; opens every device. `before` is told what is looked at next. Not for several threads at once.
Report examine(const std::function<void(const std::string& subject)>& before = {});

}  // namespace heddle::doctor
