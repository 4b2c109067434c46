#include "ptx/analysis/lanes/interval.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace heddle::ptx::analysis {
namespace {

using Random = std::mt19937_64;

std::uint64_t low(std::uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}
std::int64_t as_signed(std::uint64_t value, unsigned width) {
  const unsigned drop = 64 - width;
  return static_cast<std::int64_t>(value << drop) >> drop;
}

// The residue is that of some integer of the interval.
bool holds(const Interval& interval, std::uint64_t residue, unsigned width) {
  if (interval.full) return true;
  const __int128 m = __int128{1} << width;
  __int128 x = low(residue, width);
  while (x > interval.high) x -= m;
  while (x < interval.low) x += m;
  return x <= interval.high;
}

struct Sample {
  Interval interval;
  std::uint64_t value;
};

Sample sample(Random& random, unsigned width) {
  const auto pick = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  const std::int64_t half = std::int64_t{1} << (width - 1);
  switch (pick(4)) {
    case 0: return {Interval::any(), low(random(), width)};
    case 1: {
      const std::int64_t value = pick(half);
      return {Interval::exactly(value), static_cast<std::uint64_t>(value)};
    }
    default: {
      const std::int64_t from = pick(half) / (1 + pick(1000)) - (pick(2) ? pick(half) : 0),
                         size = pick(half) >> pick(width);
      const std::int64_t value = from + pick(size + 1);
      return {Interval::of(from, from + size, width), low(static_cast<std::uint64_t>(value), width)};
    }
  }
}

using Operation = std::function<std::uint64_t(std::uint64_t, std::uint64_t)>;
using Abstract = std::function<Interval(const Interval&, const Interval&)>;

void check(unsigned width, const char* what, const Operation& run, const Abstract& bound) {
  Random random(width);
  for (int round = 0; round < 4000; ++round) {
    const Sample a = sample(random, width), b = sample(random, width);
    const Interval result = bound(a.interval, b.interval);
    ASSERT_TRUE(holds(result, run(a.value, b.value), width))
        << what << " of [" << a.interval.low << ", " << a.interval.high << "] and [" << b.interval.low << ", "
        << b.interval.high << "]: " << a.value << ", " << b.value << " outside [" << result.low << ", " << result.high
        << "]";
  }
}

TEST(Interval, ResultsHoldEveryValue) {
  for (unsigned width : {8u, 16u, 32u}) {
    check(width, "sum", [](auto a, auto b) { return a + b; }, [&](auto a, auto b) { return add(a, b, width); });
    check(
        width, "difference", [](auto a, auto b) { return a - b; },
        [&](auto a, auto b) { return subtract(a, b, width); });
    check(
        width, "product", [](auto a, auto b) { return a * b; }, [&](auto a, auto b) { return multiply(a, b, width); });
    check(width, "and", [](auto a, auto b) { return a & b; }, [&](auto a, auto b) { return bit_and(a, b, width); });
    check(width, "or", [](auto a, auto b) { return a | b; }, [&](auto a, auto b) { return bit_or(a, b, width); });
    check(width, "xor", [](auto a, auto b) { return a ^ b; }, [&](auto a, auto b) { return bit_or(a, b, width); });
    check(width, "join", [](auto a, auto) { return a; }, [&](auto a, auto b) { return join(a, b, width); });
    for (bool sign : {false, true}) {
      const auto value = [=](std::uint64_t x) {
        return sign ? as_signed(x, width) : static_cast<std::int64_t>(low(x, width));
      };
      const auto both = [=](auto f) {
        return [=](std::uint64_t a, std::uint64_t b) { return static_cast<std::uint64_t>(f(value(a), value(b))); };
      };
      check(width, "quotient", both([](auto a, auto b) { return b == 0 ? 0 : a / b; }), [&](auto a, auto b) {
        return b.as_unsigned(width).within(1, INT64_MAX) ? divide(a, b, sign, width) : Interval::any();
      });
      check(width, "remainder", both([](auto a, auto b) { return b == 0 ? 0 : a % b; }), [&](auto a, auto b) {
        return b.as_unsigned(width).within(1, INT64_MAX) ? remainder(a, b, sign, width) : Interval::any();
      });
      check(width, "minimum", both([](auto a, auto b) { return std::min(a, b); }),
            [&](auto a, auto b) { return minimum(a, b, sign, width); });
      check(width, "maximum", both([](auto a, auto b) { return std::max(a, b); }),
            [&](auto a, auto b) { return maximum(a, b, sign, width); });
      for (unsigned by : {0u, 1u, 5u, 7u})
        check(width, "shift", both([by](auto a, auto) { return a >> by; }),
              [&](auto a, auto) { return shift_right(a, by, sign, width); });
    }
  }
}

TEST(Interval, SignsAndBounds) {
  EXPECT_TRUE(Interval::of(0, 0xffffffff, 32).full);
  EXPECT_EQ(Interval::of(-1, -1, 32).as_unsigned(32), Interval::exactly(0xffffffff));
  EXPECT_EQ(Interval::exactly(0xffffffff).as_signed(32), Interval::exactly(-1));
  EXPECT_EQ(Interval::of(INT64_MIN, INT64_MIN + 5, 16), Interval::of(0, 5, 16));  // at once, not turn by turn
  EXPECT_EQ(Interval::of(INT64_MAX - 1, INT64_MAX, 16), Interval::of(65534, 65535, 16));
  EXPECT_TRUE(Interval::of(-1, 1, 32).as_unsigned(32).full);
  EXPECT_TRUE((Interval{5, 0x80000000, false}).as_signed(32).full);
  EXPECT_EQ(multiply(Interval::of(0, 65534, 32), Interval::of(1, 1024, 32), 32), Interval::of(0, 65534 * 1024, 32));
}

}  // namespace
}  // namespace heddle::ptx::analysis
