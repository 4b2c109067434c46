// The math functions on the devices against the same headers built for the host: bit for bit.
#include <heddle/math/bessel.h>
#include <heddle/math/error_function.h>
#include <heddle/math/gamma.h>
#include <heddle/math/remainder.h>
#include <heddle/math/roots.h>
#include <heddle/math/trigonometry_f.h>

#include <cmath>
#include <limits>
#include <random>

#include "values/devices.hpp"

namespace heddle::compile::testing {
namespace {

template <typename T>
struct Named {
  const char* name;
  T (*one)(T);
  T (*two)(T, T);
};

template <typename T>
std::vector<Named<T>> functions() {
#define F(name) Named<T>{#name, [](T x) -> T { return __heddle::name(x); }, nullptr},
  return {
#include "values/functions.def"
  };
#undef F
}
template <typename T>
std::vector<Named<T>> pairs() {
#define F(name) Named<T>{#name, nullptr, [](T x, T y) -> T { return __heddle::name(x, y); }},
  return {
#include "values/pairs.def"
  };
#undef F
}

// Numbers of every size, and special ones.
template <typename T>
std::vector<T> arguments(int count) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{0,
                        T(-0.0),
                        1,
                        -1,
                        2,
                        T(0.5),
                        T(-0.5),
                        3,
                        10,
                        -2.5,
                        100,
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN(),
                        Limits::max(),
                        Limits::lowest(),
                        Limits::min(),
                        Limits::denorm_min(),
                        8,
                        T(1e9)};
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> near(-12, 12), exponent(-20, 20);
  while (static_cast<int>(values.size()) < count) {
    values.push_back(static_cast<T>(generator() & 1 ? near(generator)
                                                    : std::copysign(std::exp2(exponent(generator)), near(generator))));
  }
  return values;
}

template <typename T>
bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : __heddle::bits(a) == __heddle::bits(b);
}

class MathValues : public OnDevice {
 protected:
  template <typename T>
  void check(const std::vector<Named<T>>& list, const std::string& kernel, int count) {
    Program program(*device_, "math_values.cu");
    const std::vector<T> x = arguments<T>(count);
    auto in = program.buffer(x);
    auto out = program.buffer(std::vector<T>(x.size() * list.size()));
    program.run(kernel, {.grid = {static_cast<unsigned>(count + 63) / 64}, .block = {64}}, count, in.address(),
                out.address());
    const std::vector<T> y = program.read(out);
    for (std::size_t f = 0; f < list.size(); ++f) {
      int wrong = 0;
      for (int i = 0; i < count && wrong < 3; ++i) {
        const T expected = list[f].one ? list[f].one(x[i]) : list[f].two(x[i], x[count - 1 - i]);
        const T got = y[f * count + i];
        if (same(got, expected)) continue;
        ++wrong;
        ADD_FAILURE() << list[f].name << (sizeof(T) == 4 ? "f(" : "(") << x[i] << ", " << x[count - 1 - i] << ") is "
                      << got << " on the device and " << expected << " here";
      }
    }
  }
};

TEST_P(MathValues, SinglePrecision) { check(functions<float>(), "one_single", 1000); }
TEST_P(MathValues, DoublePrecision) { check(functions<double>(), "one_double", 1000); }
TEST_P(MathValues, SinglePrecisionPairs) { check(pairs<float>(), "two_single", 1000); }
TEST_P(MathValues, DoublePrecisionPairs) { check(pairs<double>(), "two_double", 1000); }

INSTANTIATE_TEST_SUITE_P(All, MathValues, ::testing::ValuesIn(device_choices()), device_name);

}  // namespace
}  // namespace heddle::compile::testing
