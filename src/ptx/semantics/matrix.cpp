#include "ptx/semantics/matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "heddle/error.hpp"
#include "ptx/semantics/convert.hpp"
#include "ptx/semantics/float_arithmetic.hpp"
#include "ptx/type.hpp"

namespace heddle::ptx::semantics {
namespace {

constexpr std::size_t most_rows = 32, most_columns = 32, most_k = 32;  // of floating point and bytes

// A matrix by rows.
template <class T, std::size_t Rows, std::size_t Columns>
struct Dense {
  T at[Rows][Columns];
};

// Calls visit(row, column, bits) for each element of a fragment.
template <class Word, class Visit>
void for_each_element(const FragmentLayout& layout, const void* registers, unsigned bits, Visit&& visit) {
  const auto* words = static_cast<const Word*>(registers);
  for (unsigned reg = 0; reg < layout.distinct; ++reg) {
    for (unsigned lane = 0; lane < matrix_lanes; ++lane) {
      const Word word = words[reg * matrix_lanes + lane];
      for (unsigned e = 0; e < layout.per_register; ++e) {
        const auto place = layout.place(lane, reg, e);
        visit(place.row, place.column, static_cast<Word>(word >> (bits * e)));
      }
    }
  }
}

// Calls made(row, column) for the bits of each element, and puts them into the registers.
template <class Word, class Make>
void fill_fragment(const FragmentLayout& layout, void* registers, unsigned bits, Make&& made) {
  auto* words = static_cast<Word*>(registers);
  for (unsigned reg = 0; reg < layout.distinct; ++reg) {
    for (unsigned lane = 0; lane < matrix_lanes; ++lane) {
      Word word = 0;
      for (unsigned e = 0; e < layout.per_register; ++e) {
        const auto place = layout.place(lane, reg, e);
        word |= static_cast<Word>(made(place.row, place.column)) << (bits * e);
      }
      words[reg * matrix_lanes + lane] = word;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Floating point in f32

// Exact: the exponent is moved by a product, which also makes subnormal numbers normal.
float from_f16(std::uint32_t bits) {
  constexpr float scale = 0x1p112f;
  constexpr std::uint32_t first_special = 0x0f800000, special_exponent = 0x7f800000;
  const std::uint32_t magnitude = (bits & 0x7fff) << 13;
  std::uint32_t result = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * scale);
  if (magnitude >= first_special) result = magnitude | special_exponent;
  return std::bit_cast<float>(result | (bits & 0x8000) << 16);
}

float to_float(Type type, std::uint32_t bits) {
  constexpr std::uint32_t tf32_mask = 0xffffe000;
  switch (type) {
    case Type::f16: return from_f16(bits);
    case Type::bf16: return std::bit_cast<float>(bits << 16);
    case Type::tf32: return std::bit_cast<float>(bits & tf32_mask);
    case Type::f32: return std::bit_cast<float>(bits);
    default: return std::bit_cast<float>(static_cast<std::uint32_t>(convert(Type::f32, type, bits & 0xff, {})));
  }
}

std::uint32_t from_float(Type type, float value, bool satfinite) {
  std::uint64_t bits = std::bit_cast<std::uint32_t>(value);
  if (type == Type::f16) bits = convert(Type::f16, Type::f32, bits, {});
  const Format format = type == Type::f16 ? f16_format : f32_format;
  if (is_nan(format, bits)) return satfinite ? 0 : static_cast<std::uint32_t>(format.canonical_nan);
  if (satfinite && is_infinite(format, bits)) bits = (bits & format.sign_bit()) | format.max_finite();
  return static_cast<std::uint32_t>(bits);
}

void multiply_floats(const MatrixProduct& product, const FragmentLayout (&layouts)[4], const void* a, const void* b,
                     const void* c, void* d) {
  static_assert(most_columns % 8 == 0);
  Dense<float, most_rows, most_k> left;
  Dense<float, most_k, most_columns> right;
  Dense<float, most_rows, most_columns> sums;
  const auto bits_of = [](const FragmentLayout& layout) { return 32u / layout.per_register; };
  for_each_element<std::uint32_t>(layouts[0], a, bits_of(layouts[0]), [&](unsigned row, unsigned k, std::uint32_t x) {
    left.at[row][k] = to_float(product.a, x);
  });
  for_each_element<std::uint32_t>(
      layouts[1], b, bits_of(layouts[1]),
      [&](unsigned k, unsigned column, std::uint32_t x) { right.at[k][column] = to_float(product.b, x); });
  for_each_element<std::uint32_t>(
      layouts[2], c, bits_of(layouts[2]),
      [&](unsigned row, unsigned column, std::uint32_t x) { sums.at[row][column] = to_float(product.c, x); });
  // Eight columns at a time, which compilers make vectors of.
  for (unsigned row = 0; row < product.shape.m; ++row)
    for (unsigned first = 0; first < product.shape.n; first += 8)
      for (unsigned k = 0; k < product.shape.k; ++k)
        for (unsigned i = 0; i < 8; ++i) sums.at[row][first + i] += left.at[row][k] * right.at[k][first + i];
  fill_fragment<std::uint32_t>(layouts[3], d, bits_of(layouts[3]), [&](unsigned row, unsigned column) {
    return from_float(product.d, sums.at[row][column], product.satfinite);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// f64

double fused(double x, double y, double z, Rounding rounding) {
  if (rounding == Rounding::rn) {
    const double result = std::fma(x, y, z);
    if (!std::isnan(result)) return result;
  }
  const std::uint64_t bits = float_fma(f64_format, std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(y),
                                       std::bit_cast<std::uint64_t>(z), {.rounding = rounding});
  return std::bit_cast<double>(bits);
}

void multiply_doubles(const MatrixProduct& product, const FragmentLayout (&layouts)[4], const void* a, const void* b,
                      const void* c, void* d) {
  Dense<double, most_rows, most_k> left;
  Dense<double, most_k, most_columns> right;
  Dense<double, most_rows, most_columns> sums;
  const auto keep = [](auto& to) {
    return [&to](unsigned row, unsigned column, std::uint64_t x) { to.at[row][column] = std::bit_cast<double>(x); };
  };
  for_each_element<std::uint64_t>(layouts[0], a, 0, keep(left));
  for_each_element<std::uint64_t>(layouts[1], b, 0, keep(right));
  for_each_element<std::uint64_t>(layouts[2], c, 0, keep(sums));
  for (unsigned row = 0; row < product.shape.m; ++row)
    for (unsigned column = 0; column < product.shape.n; ++column)
      for (unsigned k = 0; k < product.shape.k; ++k)
        sums.at[row][column] = fused(left.at[row][k], right.at[k][column], sums.at[row][column], product.rounding);
  fill_fragment<std::uint64_t>(layouts[3], d, 0, [&](unsigned row, unsigned column) {
    return std::bit_cast<std::uint64_t>(sums.at[row][column]);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Integers and bits

std::int32_t to_integer(Type type, std::uint32_t bits) {
  switch (type) {
    case Type::s8: return static_cast<std::int8_t>(bits);
    case Type::u8: return static_cast<std::uint8_t>(bits);
    case Type::s4: return static_cast<std::int32_t>(bits << 28) >> 28;
    default: return static_cast<std::int32_t>(bits & 15);
  }
}

std::uint32_t from_integer(std::int64_t value, bool satfinite) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (satfinite) value = std::clamp<std::int64_t>(value, Limits::min(), Limits::max());
  return static_cast<std::uint32_t>(value);
}

void multiply_integers(const MatrixProduct& product, const FragmentLayout (&layouts)[4], const void* a, const void* b,
                       const void* c, void* d) {
  constexpr std::size_t most = 64;  // k of 4-bit types
  Dense<std::int32_t, most_rows, most> left;
  Dense<std::int32_t, most, most_columns> right;
  Dense<std::int32_t, most_rows, most_columns> sums;  // of products: below 2^31
  for (auto& row : sums.at) std::fill(std::begin(row), std::end(row), 0);
  const auto bits_of = [](const FragmentLayout& layout) { return 32u / layout.per_register; };
  for_each_element<std::uint32_t>(layouts[0], a, bits_of(layouts[0]), [&](unsigned row, unsigned k, std::uint32_t x) {
    left.at[row][k] = to_integer(product.a, x);
  });
  for_each_element<std::uint32_t>(
      layouts[1], b, bits_of(layouts[1]),
      [&](unsigned k, unsigned column, std::uint32_t x) { right.at[k][column] = to_integer(product.b, x); });
  for (unsigned row = 0; row < product.shape.m; ++row)
    for (unsigned first = 0; first < product.shape.n; first += 8)
      for (unsigned k = 0; k < product.shape.k; ++k)
        for (unsigned i = 0; i < 8; ++i) sums.at[row][first + i] += left.at[row][k] * right.at[k][first + i];
  std::int64_t before[most_rows][most_columns];
  for_each_element<std::uint32_t>(layouts[2], c, 0, [&](unsigned row, unsigned column, std::uint32_t x) {
    before[row][column] = static_cast<std::int32_t>(x);
  });
  fill_fragment<std::uint32_t>(layouts[3], d, 0, [&](unsigned row, unsigned column) {
    return from_integer(before[row][column] + sums.at[row][column], product.satfinite);
  });
}

// Registers of 32 bits along k.
void multiply_bits(const MatrixProduct& product, const FragmentLayout (&layouts)[4], const void* a, const void* b,
                   const void* c, void* d) {
  constexpr std::size_t most_words = 8;
  Dense<std::uint32_t, most_rows, most_words> left;
  Dense<std::uint32_t, most_columns, most_words> right;
  const auto* words = static_cast<const std::uint32_t*>(a);
  for (unsigned i = 0; i < layouts[0].distinct * matrix_lanes; ++i) {
    const auto place = layouts[0].place(i % matrix_lanes, i / matrix_lanes, 0);
    left.at[place.row][place.column / 32] = words[i];
  }
  words = static_cast<const std::uint32_t*>(b);
  for (unsigned i = 0; i < layouts[1].distinct * matrix_lanes; ++i) {
    const auto place = layouts[1].place(i % matrix_lanes, i / matrix_lanes, 0);
    right.at[place.column][place.row / 32] = words[i];
  }
  std::uint32_t sums[most_rows][most_columns];
  for_each_element<std::uint32_t>(layouts[2], c, 0, [&](unsigned row, unsigned column, std::uint32_t x) {
    for (unsigned k = 0; k < product.shape.k / 32u; ++k) {
      const std::uint32_t p = left.at[row][k], q = right.at[column][k];
      x += static_cast<std::uint32_t>(std::popcount(product.exclusive_or ? p ^ q : p & q));
    }
    sums[row][column] = x;
  });
  fill_fragment<std::uint32_t>(layouts[3], d, 0, [&](unsigned row, unsigned column) { return sums[row][column]; });
}

}  // namespace

void multiply_matrices(const MatrixProduct& product, const void* a, const void* b, const void* c, void* d) {
  const FragmentLayout layouts[] = {{Matrix::a, product.shape, product.a},
                                    {Matrix::b, product.shape, product.b},
                                    {Matrix::c, product.shape, product.c},
                                    {Matrix::c, product.shape, product.d}};
  switch (product.a) {
    case Type::f64: return multiply_doubles(product, layouts, a, b, c, d);
    case Type::b1: return multiply_bits(product, layouts, a, b, c, d);
    case Type::u8:
    case Type::s8:
    case Type::u4:
    case Type::s4: return multiply_integers(product, layouts, a, b, c, d);
    default: return multiply_floats(product, layouts, a, b, c, d);
  }
}

}  // namespace heddle::ptx::semantics
