// The math functions under test, each with its exact value, where to sample it, and the error CUDA allows it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "math/real.hpp"

namespace heddle::compile::testing {

struct Interval {
  double low, high;
};

// Functions of up to four arguments are called through one signature: unused arguments are ignored.
template <typename T>
struct Function {
  std::string name;
  double bound;  // greatest error in units of the last place, as the CUDA C++ Programming Guide states
  std::function<T(T, T)> computed;
  std::function<Real(const Real&, const Real&, T)> exact;  // the last argument is the computed value
  std::vector<Interval> first, second;                     // where each argument is taken from; no second: one argument
  double absolute = 0;  // where not 0: errors up to this are right, whatever they are in units
  double cost = 1;      // samples are divided by this
};

std::vector<Function<float>> single_functions();
std::vector<Function<double>> double_functions();

}  // namespace heddle::compile::testing
