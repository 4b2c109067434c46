// What half precision, groups, integer intrinsics and the heap compute on the devices, against plain definitions.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "values/devices.hpp"

namespace heddle::compile::testing {
namespace {

using u32 = std::uint32_t;

class FeatureValues : public OnDevice {};

// A small float with `digits` bits of significand (the hidden one too) and exponents from `least`, from its bits.
struct Format {
  int exponent_bits, fraction_bits;
  double value(unsigned bits) const {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    const unsigned fraction = bits & ((1u << fraction_bits) - 1);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1) return fraction ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
    return sign * std::ldexp(fraction + (1u << fraction_bits), exponent - bias - fraction_bits);
  }
};
constexpr Format half{5, 10}, bfloat16{8, 7};

TEST_P(FeatureValues, AllSmallFloatsBecomeTheRightFloat) {
  Program program(*device_, "feature_values.cu");
  auto a = program.buffer(std::vector<float>(65536)), b = program.buffer(std::vector<float>(65536));
  program.run("half_to_float", {.grid = {256}, .block = {256}}, a.address(), b.address());
  const auto from_half = program.read(a), from_bfloat16 = program.read(b);
  for (unsigned i = 0; i < 65536; ++i) {
    const double x = half.value(i), y = bfloat16.value(i);
    ASSERT_TRUE(std::isnan(x) ? std::isnan(from_half[i]) : from_half[i] == x) << i;
    ASSERT_TRUE(std::isnan(y) ? std::isnan(from_bfloat16[i]) : from_bfloat16[i] == y) << i;
  }
}

// The two neighbours of x among the format's values, as bits, found by search: magnitudes are ordered as their bits
// are.
struct Neighbours {
  unsigned below, above;  // in magnitude
};
Neighbours neighbours(const Format& format, double magnitude) {
  unsigned low = 0, high = ((1u << format.exponent_bits) - 1) << format.fraction_bits;  // infinity
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (format.value(middle) <= magnitude ? low : high) = middle;
  }
  if (magnitude == INFINITY) return {high, high};
  return {low, format.value(low) == magnitude ? low : high};
}
// mode: 0 nearest even, 1 towards zero, 2 up, 3 down.
unsigned rounded(const Format& format, float x, int mode) {
  const Neighbours n = neighbours(format, std::fabs(static_cast<double>(x)));
  const bool negative = std::signbit(x);
  unsigned magnitude = n.below;
  if (mode == 0 && n.above != n.below) {
    const double step = format.value(n.below) - (n.below ? format.value(n.below - 1) : 0);
    const double low = format.value(n.below);
    const double high = std::isinf(format.value(n.above)) ? low + step : format.value(n.above);
    const double middle = (low + high) / 2, m = std::fabs(static_cast<double>(x));
    magnitude = m < middle || (m == middle && n.below % 2 == 0) ? n.below : n.above;
  }
  if ((mode == 2 && !negative) || (mode == 3 && negative)) magnitude = n.above;
  return magnitude | (negative ? 0x8000u : 0u);
}

TEST_P(FeatureValues, FloatsRoundToSmallFloatsInEveryDirection) {
  Program program(*device_, "feature_values.cu");
  std::vector<float> x{0.0f,          -0.0f,         1.0f,           65504.0f,      65519.9f, 65520.0f,
                       -65536.0f,     1e-8f,         -6e-8f,         3e38f,         INFINITY, -INFINITY,
                       5.9604645e-8f, 2.9802322e-8f, 2.98023235e-8f, 3.3895314e38f, 3.4e38f,  1e-45f};
  std::mt19937 generator(11);
  while (x.size() < 4096) {
    const u32 bits = generator();
    const float any = std::bit_cast<float>(bits);
    x.push_back(bits & 1 && !std::isnan(any) ? any : std::bit_cast<float>((bits & 0x8fffffffu) | 0x38000000u));
  }
  const int n = static_cast<int>(x.size());
  auto in = program.buffer(x);
  auto out = program.buffer(std::vector<std::uint16_t>(8 * x.size()));
  program.run("float_to_half", {.grid = {static_cast<unsigned>(n + 127) / 128}, .block = {128}}, n, in.address(),
              out.address());
  const auto got = program.read(out);
  for (int kind = 0; kind < 8; ++kind) {
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(got[kind * n + i], rounded(kind < 4 ? half : bfloat16, x[i], kind % 4)) << x[i] << " kind " << kind;
    }
  }
}

// Never -0.
TEST_P(FeatureValues, ReluClampsToPlusZero) {
  Program program(*device_, "feature_values.cu");
  const auto relu = [&](float a, float b, float c) {
    auto out = program.buffer(std::vector<std::uint16_t>(4));
    program.run("relu", {.grid = {1}, .block = {1}}, a, b, c, out.address());
    return program.read(out);
  };
  const std::vector<std::uint16_t> zero(4), one{0x3c00, 0x3c00, 0x3f80, 0x3f80};
  EXPECT_EQ(relu(-1, 0, -0.0f), zero);
  EXPECT_EQ(relu(0, 0, 0), zero);
  EXPECT_EQ(relu(-1, 2, 1), zero);
  EXPECT_EQ(relu(1, 2, -1), one);
}

std::vector<int> group_input() {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[i] = (i * 37 + 11) % 101;
  return values;
}

TEST_P(FeatureValues, GroupsReduceScanAndShuffle) {
  Program program(*device_, "feature_values.cu");
  const std::vector<int> v = group_input();
  auto in = program.buffer(v);
  auto out = program.buffer(std::vector<int>(512));
  program.run("groups", {.grid = {1}, .block = {64}}, in.address(), out.address());
  const auto got = program.read(out);
  for (int i = 0; i < 64; ++i) {
    const int warp = i & ~31, quad = i & ~3;
    int sum = 0, before = 0, in_quad = 0, most = -1, rank = 0, parity = 0, size = 0;
    for (int j = warp; j < warp + 32; ++j) {
      sum += v[j];
      if (j < i) before += v[j];
      if (j >= quad && j <= i) in_quad += v[j];
      if (v[j] % 3 == 0) {
        most = std::max(most, v[j]);
        rank += j < i;
      }
      if (v[j] % 2 == v[i] % 2) {
        parity += v[j];
        ++size;
      }
    }
    const int mirror = warp + 31 - (i - warp);
    EXPECT_EQ(got[i], sum);
    EXPECT_EQ(got[64 + i], in_quad);
    EXPECT_EQ(got[128 + i], before);
    EXPECT_EQ(got[192 + i], v[quad + 1] + 1000 * (quad / 4));
    EXPECT_EQ(got[256 + i], v[i] % 3 == 0 ? most * 64 + rank : -1);
    EXPECT_EQ(got[320 + i], parity * 64 + size);
    EXPECT_EQ(got[384 + i], v[mirror] + mirror + 7);
    EXPECT_EQ(got[448 + i], i % 8 / 2 * 100 + 4);
  }
}

TEST_P(FeatureValues, GridBarrierSeparatesRoundsAndCanBeUsedAgain) {
  Program program(*device_, "feature_values.cu");
  const int blocks = 12, rounds = 7;
  for (int launch = 0; launch < 2; ++launch) {
    std::vector<int> state(blocks);
    for (int i = 0; i < blocks; ++i) state[i] = i * i + launch;
    auto a = program.buffer(state), b = program.buffer(std::vector<int>(blocks));
    program.run("grid_rounds", {.grid = {blocks}, .block = {64}, .cooperative = true}, rounds, a.address(),
                b.address());
    for (int r = 0; r < rounds; ++r) {
      std::vector<int> next(blocks);
      for (int i = 0; i < blocks; ++i) next[i] = state[(i + blocks - 1) % blocks] + state[i];
      state = next;
    }
    EXPECT_EQ(program.read(rounds % 2 ? b : a), state);
  }
}

// Parts of width bits, sign-extended where asked.
int part(u32 v, int width, int at, bool is_signed) {
  const u32 p = (v >> at) & ((1u << width) - 1);
  return is_signed && (p >> (width - 1)) ? static_cast<int>(p) - (1 << width) : static_cast<int>(p);
}
u32 parts(u32 a, u32 b, int width, bool is_signed, const std::function<int(int, int)>& f) {
  u32 result = 0;
  for (int at = 0; at < 32; at += width) {
    result |= (static_cast<u32>(f(part(a, width, at, is_signed), part(b, width, at, is_signed))) & ((1u << width) - 1))
              << at;
  }
  return result;
}

std::vector<std::function<u32(u32, u32)>> integer_definitions() {
  const auto clamp16 = [](int v) { return std::min(32767, std::max(-32768, v)); };
  return {
      [](u32 a, u32) { return static_cast<u32>(std::countl_zero(a)); },
      [](u32 a, u32) { return static_cast<u32>(std::popcount(a)); },
      [](u32 a, u32 b) { return (a & b) ? static_cast<u32>(std::countr_zero(a & b)) + 1 : 0u; },
      [](u32 a, u32) {
        u32 r = 0;
        for (int i = 0; i < 32; ++i) r |= ((a >> i) & 1) << (31 - i);
        return r;
      },
      [](u32 a, u32 b) { return static_cast<u32>((std::uint64_t{a} * b) >> 32); },
      [](u32 a, u32 b) { return static_cast<u32>((std::int64_t{static_cast<int>(a)} * static_cast<int>(b)) >> 32); },
      // Bytes 0, 4, 3, 6 of b:a, from the least significant on.
      [](u32 a, u32 b) { return (a & 0xff) | ((b & 0xff) << 8) | ((a >> 24) << 16) | (((b >> 16) & 0xff) << 24); },
      [](u32 a, u32 b) { return static_cast<u32>((((std::uint64_t{b} << 32) | a) << (b & 31)) >> 32); },
      [](u32 a, u32 b) { return static_cast<u32>(((std::uint64_t{b} << 32) | a) >> std::min(a & 63, 32u)); },
      [](u32 a, u32 b) { return parts(a, b, 8, false, [](int x, int y) { return x + y; }); },
      [](u32 a, u32 b) { return parts(a, b, 8, true, [](int x, int y) { return (x + y + (x + y >= 0)) >> 1; }); },
      [](u32 a, u32 b) { return parts(a, b, 8, false, [](int x, int y) { return std::abs(x - y); }); },
      [](u32 a, u32 b) {
        u32 sum = 0;
        for (int at = 0; at < 32; at += 8)
          sum += static_cast<u32>(std::abs(part(a, 8, at, false) - part(b, 8, at, false)));
        return sum;
      },
      [](u32 a, u32 b) { return parts(a, b, 16, true, [](int x, int y) { return std::max(x, y); }); },
      [=](u32 a, u32 b) { return parts(a, b, 16, true, [=](int x, int y) { return clamp16(x + y); }); },
      [](u32 a, u32 b) { return parts(a, b, 8, false, [](int x, int y) { return x > y ? 255 : 0; }); },
      [](u32 a, u32 b) { return static_cast<u32>((std::uint64_t{a} + b) >> 1); },
      [](u32 a, u32 b) { return static_cast<u32>((std::int64_t{static_cast<int>(a)} + static_cast<int>(b) + 1) >> 1); },
      [](u32 a, u32 b) { return (a > b ? a - b : b - a) + 5; },
      [](u32 a, u32 b) {
        u32 sum = 3;
        for (int at = 0; at < 32; at += 8) sum += static_cast<u32>(part(a, 8, at, false) * part(b, 8, at, false));
        return sum;
      },
  };
}

TEST_P(FeatureValues, IntegerIntrinsicsFollowTheirDefinitions) {
  Program program(*device_, "feature_values.cu");
  std::vector<u32> x{0, 1, 0xffffffffu, 0x80000000u, 0x7fffffffu, 0x00ff00ffu, 0x80808080u, 0x7f7f7f7fu};
  std::mt19937 generator(3);
  while (x.size() < 512) x.push_back(generator());
  const int n = static_cast<int>(x.size());
  const auto definitions = integer_definitions();
  auto in = program.buffer(x);
  auto out = program.buffer(std::vector<u32>(definitions.size() * x.size()));
  program.run("integers", {.grid = {4}, .block = {128}}, n, in.address(), out.address());
  const auto got = program.read(out);
  for (std::size_t k = 0; k < definitions.size(); ++k) {
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(got[k * n + i], definitions[k](x[i], x[n - 1 - i]))
          << "definition " << k << " of " << x[i] << ", " << x[n - 1 - i];
    }
  }
}

TEST_P(FeatureValues, HeapAndByteFunctions) {
  Program program(*device_, "feature_values.cu");
  auto out = program.buffer(std::vector<int>(96));
  program.run("heap_and_bytes", {.grid = {1}, .block = {96}}, out.address());
  const auto got = program.read(out);
  for (int t = 0; t < 96; ++t) {
    const int n = 4 + t % 5;
    std::vector<int> copy(17);
    for (int i = 0; i < n; ++i) copy[2 + i] = i * t;
    std::memmove(copy.data() + 3, copy.data() + 2, n * sizeof(int));
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += (i + 1) * copy[i];
    EXPECT_EQ(got[t], sum) << t;
  }
}

TEST_P(FeatureValues, PipelinePrimitivesCopyAndFillWithZeros) {
  Program program(*device_, "feature_values.cu");
  constexpr int stages = 19;
  std::vector<unsigned char> x(stages * 1024);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<unsigned char>(1 + i * 7 % 255);
  auto in = program.buffer(x);
  for (const int size : {4, 8, 16}) {
    auto out = program.buffer(std::vector<unsigned char>(x.size(), 0xee));
    program.run("pipeline", {.grid = {1}, .block = {64}}, in.address(), out.address(), stages, size);
    const auto got = program.read(out);
    for (int i = 0; i < stages * 1024; ++i) {
      const int zeros = i / 1024 % (size + 1);
      ASSERT_EQ(got[i], i % 16 < 16 - zeros ? x[i] : 0) << "size " << size << " byte " << i;
    }
  }
}

TEST_P(FeatureValues, GridConstantParametersHaveAnAddress) {
  Program program(*device_, "feature_values.cu");
  struct Weights {
    int w[7];
  } weights{{3, 1, 4, 1, 5, 9, 2}};
  auto out = program.buffer(std::vector<int>(64));
  program.run("grid_constant", {.grid = {1}, .block = {64}}, weights, out.address());
  const auto got = program.read(out);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(got[t], weights.w[t % 7] + weights.w[t * 3 % 7]) << t;
}

TEST_P(FeatureValues, OnlyTheLaneThatIsReadFromNeedsAValue) {
  Program program(*device_, "feature_values.cu");
  std::vector<int> x(1000), expected;
  for (int i = 0; i < 1000; ++i) x[i] = i * 7 % 101;
  for (int v : x)
    if (v % 3 != 0) expected.push_back(v);
  auto in = program.buffer(x), out = program.buffer(std::vector<int>(1000)),
       count = program.buffer(std::vector<int>(1));
  program.run("filter", {.grid = {3}, .block = {96}}, 1000, in.address(), out.address(), count.address());
  ASSERT_EQ(program.read(count)[0], static_cast<int>(expected.size()));
  auto got = program.read(out);
  got.resize(expected.size());
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(got, expected);

  program.run("leader_only", {.grid = {1}, .block = {64}}, in.address(), out.address());
  got = program.read(out);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(got[t], x[t / 32 * 32 + 5]) << t;
}

template <class T>
long long nearest(double value) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(value)) return sizeof(T) < 8 ? 0 : std::numeric_limits<long long>::min();
  if (value >= static_cast<double>(Limits::max())) return static_cast<long long>(Limits::max());
  return value <= static_cast<double>(Limits::min()) ? static_cast<long long>(Limits::min())
                                                     : static_cast<long long>(static_cast<T>(value));
}

TEST_P(FeatureValues, HalvesAsIntegersAreTheNearest) {
  Program program(*device_, "feature_values.cu");
  const std::vector<float> x{0, -3.5f, 200, 300, -256, 32768, INFINITY, -INFINITY, NAN, 0.5f};
  const auto in = program.buffer(x);
  auto out = program.buffer(std::vector<long long>(20 * x.size()));
  program.run("integers_of_halves", {.block = {static_cast<u32>(x.size())}}, in.address(), out.address());
  const auto got = program.read(out);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i];
    const long long wanted[] = {nearest<signed char>(v), nearest<unsigned char>(v),
                                nearest<short>(v),       nearest<unsigned short>(v),
                                nearest<int>(v),         nearest<unsigned>(v),
                                nearest<long long>(v),   nearest<unsigned long long>(v),
                                nearest<signed char>(v), v != 0};
    for (std::size_t k = 0; k < 20; ++k) EXPECT_EQ(got[20 * i + k], wanted[k % 10]) << v << ", kind " << k;
  }
}

TEST_P(FeatureValues, CopiesOfIndexVariablesHaveTheirOwnValues) {
  Program program(*device_, "feature_values.cu");
  const u32 n = 32;
  auto out = program.buffer(std::vector<u32>(9 * n));
  program.run("index_copies", {.grid = {2}, .block = {n}}, out.address());
  const auto got = program.read(out);
  for (u32 i = 0; i < n; ++i) {
    const u32 t = 2 * i + 1, other = n - 1 - i, less = ~0u;
    const u32 wanted[] = {
        t,     i + 10100 * other, 11 * i, 11 * t, i + t + 10 * less + n + 10, t + 10 * less + i, i + 15,
        3 * i, i + 100 * n + 2};
    for (u32 k = 0; k < std::size(wanted); ++k) ASSERT_EQ(got[k * n + i], wanted[k]) << i << ", kind " << k;
  }
}

TEST_P(FeatureValues, BitsOfLongLongAreSetInEveryScope) {
  Program program(*device_, "feature_values.cu");
  const std::int64_t start = 0x1234'5678'9abc'def1;
  std::vector<std::int64_t> values(10);
  values[0] = start;
  auto p = program.buffer(values), q = program.buffer(values);
  program.run("bits_of_long_long", {.grid = {1}, .block = {1}}, p.address(), q.address());
  std::vector<std::int64_t> wanted{start, start, start & -2};
  for (const std::function<std::int64_t(std::int64_t)>& step : std::vector<std::function<std::int64_t(std::int64_t)>>{
           [](auto v) { return v | std::int64_t{1} << 40; }, [](auto v) { return ~v; }, [](auto v) { return v & -3; },
           [](auto v) { return v | 4; }, [](auto v) { return v ^ 7; }, [](auto v) { return v & -5; },
           [](auto v) { return v | 9; }, [](auto v) { return v ^ -(std::int64_t{1} << 50); }})
    wanted.push_back(step(wanted.back()));
  wanted[0] = wanted.back();
  wanted.pop_back();
  EXPECT_EQ(program.read(p), wanted);
  EXPECT_EQ(program.read(q), wanted);
}

INSTANTIATE_TEST_SUITE_P(All, FeatureValues, ::testing::ValuesIn(device_choices()), device_name);

}  // namespace
}  // namespace heddle::compile::testing
