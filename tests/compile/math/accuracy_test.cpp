// Every math function against MPFR, on samples spread over its arguments: the error must stay within what CUDA states.
// HEDDLE_MATH_SAMPLES sets the number of samples a function (default 20000); HEDDLE_MATH_TABLE writes the table of
// greatest errors to that file (docs/cuda-math.md).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "math/functions.hpp"

namespace heddle::compile::testing {
namespace {

int sample_count() {
  const char* text = std::getenv("HEDDLE_MATH_SAMPLES");
  return text ? std::atoi(text) : 20000;
}

// Half of the samples are spread evenly over the interval, half over its representations, so over its exponents.
template <typename T>
class Sampler {
 public:
  T operator()(const Interval& in) {
    const T low = static_cast<T>(in.low), high = static_cast<T>(in.high);
    const double u = std::uniform_real_distribution<double>(0, 1)(generator_);
    if (generator_() & 1) return static_cast<T>(in.low + u * (in.high / 2 - in.low / 2) * 2);
    const double a = order(low), b = order(high);
    return from_order(a + u * (b - a));
  }
  std::size_t pick(std::size_t count) { return generator_() % count; }

 private:
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static double order(T x) {
    Bits bits;
    std::memcpy(&bits, &x, sizeof x);
    return static_cast<double>(bits < 0 ? -(bits & std::numeric_limits<Bits>::max()) : bits);
  }
  T from_order(double o) {
    // The low digits that a double does not hold are random.
    Bits bits = static_cast<Bits>(std::fabs(o));
    if (sizeof(T) == 8) bits ^= static_cast<Bits>(generator_() & 0x3ff);
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return o < 0 ? -x : x;
  }
  std::mt19937_64 generator_{12345};
};

struct Worst {
  double error = 0, first = 0, second = 0, computed = 0, absolute = 0;
};

template <typename T>
Worst measure(const Function<T>& function) {
  Sampler<T> sample;
  Worst worst;
  const int count = static_cast<int>(sample_count() / function.cost);
  for (int i = 0; i < count; ++i) {
    const auto& first = function.first;
    const T x = sample(first[sample.pick(first.size())]);
    const T y = function.second.empty() ? T(0) : sample(function.second[sample.pick(function.second.size())]);
    const T computed = function.computed(x, y);
    const Real exact = function.exact(Real(x), Real(y), computed);
    const double absolute = std::fabs((exact - Real(computed)).as_double());
    double error = ulp_error(computed, exact);
    if (function.absolute > 0) {
      worst.absolute = std::max(worst.absolute, absolute);
      if (absolute <= function.absolute) error = 0;
    }
    if (error > worst.error) {
      worst = {error, static_cast<double>(x), static_cast<double>(y), static_cast<double>(computed), worst.absolute};
    }
  }
  return worst;
}

class Table {
 public:
  Table() {
    if (const char* path = std::getenv("HEDDLE_MATH_TABLE")) file_ = std::fopen(path, "a");
  }
  ~Table() {
    if (file_) std::fclose(file_);
  }
  template <typename T>
  void row(const Function<T>& function, const Worst& worst) {
    if (!file_) return;
    const char* precision = sizeof(T) == 4 ? "single" : "double";
    if (function.absolute > 0) {
      std::fprintf(file_, "| %s | %s | %.1e absolute | %.1e absolute |\n", function.name.c_str(), precision,
                   function.absolute, worst.absolute);
    } else {
      std::fprintf(file_, "| %s | %s | %g | %.2f |\n", function.name.c_str(), precision, function.bound, worst.error);
    }
  }

 private:
  std::FILE* file_ = nullptr;
};

// The bound counts whole units of error in the result as returned; half a unit is the rounding that nothing can avoid.
template <typename T>
void check_all(const std::vector<Function<T>>& functions) {
  Table table;
  for (const Function<T>& function : functions) {
    const Worst worst = measure(function);
    table.row(function, worst);
    EXPECT_LE(worst.error, std::max(function.bound, 0.0))
        << function.name << (sizeof(T) == 4 ? " (single)" : " (double)") << " at " << std::hexfloat << worst.first
        << ", " << worst.second << " = " << worst.computed << std::defaultfloat << " (" << worst.first << ")";
  }
}

TEST(MathAccuracy, SinglePrecision) { check_all(single_functions()); }
TEST(MathAccuracy, DoublePrecision) { check_all(double_functions()); }

// Errors of samples do not see the sign of 0.
template <typename T>
void check_zeros(const std::vector<Function<T>>& functions) {
  int found = 0;
  for (const Function<T>& function : functions) {
    if (function.name != "lgamma") continue;
    ++found;
    for (const T x : {T(1), T(2)}) {
      EXPECT_EQ(function.computed(x, T(0)), T(0)) << x;
      EXPECT_FALSE(std::signbit(function.computed(x, T(0)))) << x;
    }
  }
  EXPECT_GT(found, 0);
}

TEST(MathZeros, OfLgammaArePositive) {
  check_zeros(single_functions());
  check_zeros(double_functions());
}

}  // namespace
}  // namespace heddle::compile::testing
