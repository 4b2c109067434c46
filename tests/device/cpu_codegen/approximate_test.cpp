// The approximate instructions: within the PTX ISA's stated error everywhere, special operands as its tables say. The
// largest error of each is printed.
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>

#include <gtest/gtest.h>

#include "device/cpu_codegen/arithmetic_harness.hpp"
#include "ptx/semantics/approximate.hpp"
#include "ptx/semantics/convert.hpp"
#include "ptx/semantics/float_format.hpp"

namespace heddle::test {
namespace {

using ptx::Type;
namespace semantics = ptx::semantics;

double widen(Type type, std::uint64_t bits) {
  return std::bit_cast<double>(semantics::convert(Type::f64, type, bits, {}));
}

struct Worst {
  double error = 0, at = 0;
};

// Compares with the bound and with the oracle's special results (zeros, infinities, NaN).
void check(const std::string& text, const Batch& batch, const char* unit = nullptr,
           const std::function<double(double, double)>& error = {}) {
  SCOPED_TRACE(text);
  const TestInstruction test = parse_instruction(text);
  const Type type = ptx::element(test.inst().d.type);
  const semantics::Format format = semantics::format_of(type);
  const bool two = batch.inputs.size() > 1;
  for (const auto [processor, width] : targets()) {
    const Results results = CompiledInstruction(test, processor, width).run(batch);
    Worst worst;
    unsigned failures = 0;
    for (std::size_t k = 0; k < batch.size() && failures < 4; ++k) {
      const std::uint64_t a = batch.inputs[0][k], b = two ? batch.inputs[1][k] : 0, got = results.outputs[0][k];
      semantics::Argument arguments[2] = {{{a}}, {{b}, two}};
      bool carry = false;
      const std::uint64_t reference = semantics::evaluate(test.inst(), std::span(arguments, two ? 2 : 1), carry)[0].lo;
      const bool nan = semantics::is_nan(format, reference);
      bool good = semantics::within_bound(test.inst(), a, b, got) && nan == semantics::is_nan(format, got);
      const bool special_operand = semantics::is_zero(format, semantics::flush(format, a, test.inst().d.ftz)) ||
                                   semantics::is_infinite(format, a);
      if (special_operand && !two && !nan) good = good && got == reference;
      if (!good && ++failures)
        ADD_FAILURE() << name(processor) << " width " << width << std::hex << ": 0x" << got << " for 0x" << a << " 0x"
                      << b << ", the exact result is 0x" << reference;
      if (error && !nan && std::isfinite(widen(type, reference)) && std::isfinite(widen(type, got))) {
        const double e = error(widen(type, a), widen(type, got));
        if (e > worst.error) worst = {e, widen(type, a)};
      }
    }
    if (unit && width != 0)
      std::printf("  %-24s %s width %2u: largest error %s %.3f (log2) at %.9g\n",
                  text.substr(0, text.find(' ')).c_str(), name(processor), width, unit, std::log2(worst.error),
                  worst.at);
  }
}

// Patterns spread evenly over all of f32, and `low` to `high` densely.
Batch sweep(double low, double high, std::size_t count = 60000) {
  Batch batch;
  batch.inputs.resize(1);
  for (std::uint64_t special : special_values(Type::f32)) batch.inputs[0].push_back(special);
  for (std::size_t k = 0; k < count / 2; ++k)
    batch.inputs[0].push_back(static_cast<std::uint32_t>(k * 0x100000000ull / (count / 2) + k % 977));
  for (std::size_t k = 0; k < count; ++k) {
    const auto value =
        static_cast<float>(low + (high - low) * (static_cast<double>(k) + 0.37) / static_cast<double>(count));
    batch.inputs[0].push_back(std::bit_cast<std::uint32_t>(value));
  }
  batch.carry.resize(batch.inputs[0].size());
  return batch;
}

double relative(double exact, double got) {
  return std::fabs(exact) < 0x1p-126 ? 0 : std::fabs(got - exact) / std::fabs(exact);
}

TEST(Approximate, ReciprocalsAndRoots) {
  const Batch batch = sweep(0.5, 4);
  for (const char* mode : {"", ".ftz"}) {
    const std::string m = mode;
    check("rcp.approx" + m + ".f32 %r0, %r1", batch, "relative", [](double x, double y) { return relative(1 / x, y); });
    check("sqrt.approx" + m + ".f32 %r0, %r1", batch, "relative",
          [](double x, double y) { return relative(std::sqrt(x), y); });
    check("rsqrt.approx" + m + ".f32 %r0, %r1", batch, "relative",
          [](double x, double y) { return relative(1 / std::sqrt(x), y); });
  }
}

TEST(Approximate, RsqrtKeepsItsTighterBound) {
  const Batch batch = sweep(0.25, 4, 200000);
  const TestInstruction test = parse_instruction("rsqrt.approx.f32 %r0, %r1");
  for (const auto [processor, width] : targets()) {
    const Results results = CompiledInstruction(test, processor, width).run(batch);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const double x = widen(Type::f32, batch.inputs[0][k]), y = widen(Type::f32, results.outputs[0][k]);
      if (x > 0 && std::isfinite(x)) {
        ASSERT_LE(relative(1 / std::sqrt(x), y), std::exp2(-22.9)) << x;
      }
    }
  }
}

TEST(Approximate, Exponential) {
  const Batch batch = sweep(-150, 130);
  for (const char* mode : {"", ".ftz"})
    check(std::string("ex2.approx") + mode + ".f32 %r0, %r1", batch, "relative",
          [](double x, double y) { return relative(std::exp2(x), y); });
}

TEST(Approximate, Logarithm) {
  for (const Batch& batch : {sweep(0, 4), sweep(0.99, 1.01)})
    for (const char* mode : {"", ".ftz"})
      check(std::string("lg2.approx") + mode + ".f32 %r0, %r1", batch, "absolute in (0.5, 2), else relative",
            [](double x, double y) {
              if (x < 0x1p-126) return 0.0;
              const double exact = std::log2(x);
              return x > 0.5 && x < 2 ? std::fabs(y - exact) : relative(exact, y);
            });
}

TEST(Approximate, Sine) {
  for (const char* name : {"sin", "cos"})
    for (const char* mode : {"", ".ftz"}) {
      const bool sine = name[0] == 's';
      const auto error = [sine](double x, double y) {
        return std::fabs(x) > 3.1415927 ? 0 : std::fabs((sine ? std::sin(x) : std::cos(x)) - y);
      };
      check(std::string(name) + ".approx" + mode + ".f32 %r0, %r1", sweep(-3.15, 3.15), "absolute in [-pi, pi]", error);
      check(std::string(name) + ".approx" + mode + ".f32 %r0, %r1", sweep(-320, 320));
    }
}

TEST(Approximate, SineOfLargeArguments) {
  for (const char* name : {"sin", "cos"}) {
    const TestInstruction test = parse_instruction(std::string(name) + ".approx.f32 %r0, %r1");
    const Batch batch = sweep(-100000, 100000);
    for (const auto [processor, width] : targets()) {
      const Results results = CompiledInstruction(test, processor, width).run(batch);
      for (std::size_t k = 0; k < batch.size(); ++k) {
        const double x = widen(Type::f32, batch.inputs[0][k]), y = widen(Type::f32, results.outputs[0][k]);
        if (!std::isfinite(x)) continue;
        ASSERT_LE(std::fabs(y), 1.0) << name << " of " << x;
        if (std::fabs(x) < 100000) {
          ASSERT_NEAR(y, name[0] == 's' ? std::sin(x) : std::cos(x), processor == Processor::base ? 1e-3 : 1e-6) << x;
        }
      }
    }
  }
}

TEST(Approximate, HyperbolicTangent) {
  check("tanh.approx.f32 %r0, %r1", sweep(-10, 10), "relative",
        [](double x, double y) { return relative(std::tanh(x), y); });
}

TEST(Approximate, Quotients) {
  for (const char* text : {"div.approx.f32 %r0, %r1, %r2", "div.approx.ftz.f32 %r0, %r1, %r2",
                           "div.full.f32 %r0, %r1, %r2", "div.full.ftz.f32 %r0, %r1, %r2"})
    check(text, make_batch(parse_instruction(text), 20000));
  expect_exact("div.approx.f32 %r0, %r1, %r2", 8000);  // also where divisors are beyond 2^126
}

TEST(Approximate, UpperWordsOfF64) {
  for (const char* text :
       {"rcp.approx.ftz.f64 %d0, %d1", "rsqrt.approx.ftz.f64 %d0, %d1", "rsqrt.approx.f64 %d0, %d1"}) {
    const TestInstruction test = parse_instruction(text);
    expect_exact(test, make_batch(test, 20000));
    if (!test.inst().d.ftz) continue;
    const Results results = CompiledInstruction(test, Processor::host, 16).run(make_batch(test, 3000));
    for (std::uint64_t got : results.outputs[0]) ASSERT_EQ(got & 0xffffffff, 0u);
  }
}

TEST(Approximate, SixteenBits) {
  Batch all;
  all.inputs.resize(1);
  for (std::uint64_t value = 0; value < 0x10000; ++value) all.inputs[0].push_back(value);
  all.carry.resize(0x10000);
  for (const char* text : {"ex2.approx.f16 %h0, %h1", "ex2.approx.ftz.bf16 %h0, %h1", "tanh.approx.f16 %h0, %h1",
                           "tanh.approx.bf16 %h0, %h1"})
    check(text, all);
  Batch pairs;
  pairs.inputs.resize(1);
  for (std::uint64_t value = 0; value < 0x10000; ++value)
    pairs.inputs[0].push_back(value | ((value * 40503) & 0xffff) << 16);
  pairs.carry.resize(0x10000);
  // Both halves of a packed instruction are what the single one gives.
  for (const char* name : {"ex2.approx.f16", "ex2.approx.ftz.bf16", "tanh.approx.f16", "tanh.approx.bf16"}) {
    const auto packed =
        CompiledInstruction(parse_instruction(std::string(name) + "x2 %r0, %r1"), Processor::host, 16).run(pairs);
    const auto single =
        CompiledInstruction(parse_instruction(std::string(name) + " %h0, %h1"), Processor::host, 16).run(all);
    for (std::size_t k = 0; k < 0x10000; ++k)
      ASSERT_EQ(packed.outputs[0][k], single.outputs[0][k] | single.outputs[0][(k * 40503) & 0xffff] << 16)
          << name << " " << k;
  }
}

}  // namespace
}  // namespace heddle::test
