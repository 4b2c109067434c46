// Operand values for arithmetic tests.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "device/cpu_codegen/arithmetic_harness.hpp"

namespace heddle::test {

using ptx::Type;

namespace {

std::vector<std::uint64_t> float_specials(unsigned exponent_bits, unsigned fraction_bits) {
  const std::uint64_t one_exponent = (std::uint64_t{1} << (exponent_bits - 1)) - 1;
  const auto make = [&](std::uint64_t exponent, std::uint64_t fraction) {
    return (exponent << fraction_bits) | fraction;
  };
  const std::uint64_t top = (std::uint64_t{1} << exponent_bits) - 1, all = (std::uint64_t{1} << fraction_bits) - 1;
  const std::uint64_t half = std::uint64_t{1} << (fraction_bits - 1);
  std::vector<std::uint64_t> values = {0,
                                       1,
                                       all,
                                       make(1, 0),
                                       make(1, 1),
                                       make(1, all),
                                       make(2, 0),
                                       make(one_exponent, 0),
                                       make(one_exponent, 1),
                                       make(one_exponent - 1, all),
                                       make(one_exponent - 1, 0),
                                       make(one_exponent, half),
                                       make(one_exponent + 1, 0),
                                       make(one_exponent + 1, half),
                                       make(one_exponent + 2, 0),
                                       make(one_exponent - 2, 0),
                                       make(top - 1, all),
                                       make(top - 1, 0),
                                       make(top, 0),
                                       make(top, half),
                                       make(top, 1),
                                       make(top, all)};
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(values[i] | (std::uint64_t{1} << (exponent_bits + fraction_bits)));
  return values;
}

std::vector<std::uint64_t> integer_specials(unsigned width) {
  std::vector<std::uint64_t> values = {0,  1,  2,  3,  5,  7,  8,   10,  15,  16,  24,
                                       31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256};
  for (unsigned shift = 15; shift < width; shift += shift < 32 ? 8 : 16)
    for (std::uint64_t delta : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}})
      values.push_back((std::uint64_t{1} << shift) + delta);
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(~values[i]);
  values.push_back(std::uint64_t{1} << (width - 1));
  return values;
}

// Where conversions to integers and to narrower formats change their mind.
template <class Real, class Bits>
void add_conversion_edges(std::vector<std::uint64_t>& values) {
  for (int exponent : {7, 8, 15, 16, 31, 32, 53, 63, 64}) {
    const Real limit = std::ldexp(Real(1), exponent);
    for (Real value : {limit, std::nextafter(limit, Real(0)), std::nextafter(limit, Real(1e30)), limit - 1,
                       limit - Real(0.5), limit + 1, limit - Real(1.5)})
      for (Real sign : {Real(1), Real(-1)}) values.push_back(std::bit_cast<Bits>(value * sign));
  }
  for (double value : {0.5,
                       1.5,
                       2.5,
                       3.5,
                       0.49999997,
                       0.1,
                       0.9,
                       65504.0,
                       65519.0,
                       65519.99,
                       65520.0,
                       65535.5,
                       5.96e-8,
                       2.98e-8,
                       2.9802322387695312e-8,
                       2.99e-8,
                       6.1e-5,
                       3.3895313892515355e38,
                       3.3961775292304601e38,
                       1.0009765625,
                       1.00048828125,
                       1.00146484375,
                       1.00390625,
                       1.001953125,
                       1.005859375})
    for (double sign : {1.0, -1.0}) values.push_back(std::bit_cast<Bits>(static_cast<Real>(value * sign)));
}

std::vector<std::uint64_t> pairs(const std::vector<std::uint64_t>& parts, unsigned width) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < parts.size(); ++i)
    values.push_back(parts[i] | (parts[(i * 7 + 3) % parts.size()] << width));
  return values;
}

}  // namespace

std::vector<std::uint64_t> special_values(Type type) {
  const unsigned width = ptx::bit_width(type), count = ptx::element_count(type);
  if (count == 2 && width >= 16) {
    const unsigned part = width / 2;
    std::vector<std::uint64_t> parts = special_values(ptx::element(type));
    for (std::uint64_t& value : parts) value &= (std::uint64_t{1} << part) - 1;
    return pairs(parts, part);
  }
  std::vector<std::uint64_t> values;
  switch (type) {
    case Type::pred: return {0, 1};
    case Type::f16: values = float_specials(5, 10); break;
    case Type::bf16: values = float_specials(8, 7); break;
    case Type::f32:
      values = float_specials(8, 23);
      add_conversion_edges<float, std::uint32_t>(values);
      break;
    case Type::f64:
      values = float_specials(11, 52);
      add_conversion_edges<double, std::uint64_t>(values);
      for (float limit : {0x1p-126f, 0x1p-149f, 0x1.fffffep127f})
        for (double step : {-1.0, 0.0, 1.0, 0.5})
          values.push_back(std::bit_cast<std::uint64_t>(limit * (1 + step * 0x1p-30)));
      break;
    default: values = integer_specials(std::max(width, 8u)); break;
  }
  return values;
}

namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::uint64_t operator()(const OperandInfo& operand) {
    const Type part = ptx::element(operand.type);
    const unsigned count = ptx::element_count(operand.type), width = ptx::bit_width(operand.type) / count;
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < count; ++i) bits |= one(part, width) << (i * width);
    // What a register holds above the type is not to matter.
    if (operand.width > ptx::bit_width(operand.type)) bits |= random_() << ptx::bit_width(operand.type);
    return clip(bits, operand.width);
  }
  static std::uint64_t clip(std::uint64_t bits, unsigned width) {
    return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
  }
  std::uint64_t raw() { return random_(); }

 private:
  std::uint64_t one(Type type, unsigned width) {
    const std::uint64_t bits = random_(), choice = random_() % 4;
    if (!ptx::is_float(type)) {  // any number of significant bits, either sign
      const std::uint64_t small = bits >> (random_() % 64);
      return clip(choice == 0 ? ~small : choice == 1 ? bits : small, width);
    }
    if (choice == 0) return clip(bits, width);
    switch (type) {  // exponents near that of 1, so that operands interact
      case Type::f32: return clip((bits & 0x807fffff) | ((127 - 20 + random_() % 40) << 23), 32);
      case Type::f64: return (bits & 0x800fffffffffffff) | ((1023 - 40 + random_() % 80) << 52);
      case Type::f16: return clip((bits & 0x83ff) | ((random_() % 31) << 10), 16);
      case Type::bf16: return clip((bits & 0x807f) | ((127 - 10 + random_() % 20) << 7), 16);
      default: return clip(bits, width);
    }
  }
  std::mt19937_64 random_;
};

}  // namespace

Batch make_batch(const TestInstruction& test, std::size_t count, std::uint64_t seed) {
  const std::vector<OperandInfo> uses = use_operands(test);
  std::vector<std::vector<std::uint64_t>> specials;
  for (const OperandInfo& use : uses) {
    specials.push_back(special_values(use.type));
    for (std::uint64_t& value : specials.back()) value = Generator::clip(value, use.width);
  }
  Generator generator(seed);
  Batch batch;
  batch.inputs.resize(uses.size());
  std::size_t product = 1;
  for (const auto& list : specials) product = std::min<std::size_t>(product * list.size(), 1u << 30);
  const std::size_t crossed = std::min(product, count * 2 / 3);
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t index = product <= crossed ? k : generator.raw();  // all combinations, or a sample of them
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const bool special = k < crossed;
      batch.inputs[i].push_back(special ? specials[i][index % specials[i].size()] : generator(uses[i]));
      index /= specials[i].size();
    }
    batch.carry.push_back(generator.raw() & 1);
  }
  return batch;
}

}  // namespace heddle::test
