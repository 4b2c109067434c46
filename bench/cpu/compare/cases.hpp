// The benchmarks there are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compare/case.hpp"

namespace heddle::bench {

// Made one at a time, since the arrays of all together are large.
struct CaseMaker {
  std::string name;
  std::function<Case()> make;
};

std::vector<CaseMaker> all_cases();

// The parts of it.
std::vector<CaseMaker> matrix_cases();
std::vector<CaseMaker> vector_cases();
std::vector<CaseMaker> statistics_cases();
std::vector<CaseMaker> stencil_cases();
std::vector<CaseMaker> other_cases();
std::vector<CaseMaker> stream_cases();

}  // namespace heddle::bench
