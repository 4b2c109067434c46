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

template <class Word>
unsigned bits_of(const FragmentLayout& layout) {
  return 8 * sizeof(Word) / layout.per_register;
}

// Calls visit(row, column, bits) for each element of a fragment.
template <class Word, class Visit>
void for_each_element(const FragmentLayout& layout, const void* registers, Visit&& visit) {
  const unsigned bits = bits_of<Word>(layout);
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
void fill_fragment(const FragmentLayout& layout, void* registers, Make&& made) {
  const unsigned bits = bits_of<Word>(layout);
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

// a, b and the sums, whose elements `left`, `right` and `sum` make of bits.
template <class T, std::size_t MostK>
struct Matrices {
  Dense<T, most_rows, MostK> left;
  Dense<T, MostK, most_columns> right;
  Dense<T, most_rows, most_columns> sums;

  template <class Word, class Left, class Right, class Sum>
  Matrices(Word, const FragmentLayout (&layouts)[4], const void* a, const void* b, const void* c, Left&& left_of,
           Right&& right_of, Sum&& sum_of) {
    const auto keep = [](auto& to, auto& of) {
      return [&](unsigned row, unsigned column, Word bits) { to.at[row][column] = of(bits); };
    };
    for_each_element<Word>(layouts[0], a, keep(left, left_of));
    for_each_element<Word>(layouts[1], b, keep(right, right_of));
    for_each_element<Word>(layouts[2], c, keep(sums, sum_of));
  }
  // Eight columns at a time, which compilers make vectors of.
  void add_products(const MatrixShape& shape) {
    for (unsigned row = 0; row < shape.m; ++row)
      for (unsigned first = 0; first < shape.n; first += 8)
        for (unsigned k = 0; k < shape.k; ++k)
          for (unsigned i = 0; i < 8; ++i) sums.at[row][first + i] += left.at[row][k] * right.at[k][first + i];
  }
};

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
  const auto of = [](Type type) { return [type](std::uint32_t bits) { return to_float(type, bits); }; };
  Matrices<float, most_k> all(std::uint32_t{}, layouts, a, b, c, of(product.a), of(product.b), of(product.c));
  all.add_products(product.shape);
  fill_fragment<std::uint32_t>(layouts[3], d, [&](unsigned row, unsigned column) {
    return from_float(product.d, all.sums.at[row][column], product.satfinite);
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
  const auto number = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  Matrices<double, most_k> all(std::uint64_t{}, layouts, a, b, c, number, number, number);
  for (unsigned row = 0; row < product.shape.m; ++row)
    for (unsigned column = 0; column < product.shape.n; ++column)
      for (unsigned k = 0; k < product.shape.k; ++k)
        all.sums.at[row][column] =
            fused(all.left.at[row][k], all.right.at[k][column], all.sums.at[row][column], product.rounding);
  fill_fragment<std::uint64_t>(layouts[3], d, [&](unsigned row, unsigned column) {
    return std::bit_cast<std::uint64_t>(all.sums.at[row][column]);
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
  const auto of = [](Type type) { return [type](std::uint32_t bits) { return to_integer(type, bits); }; };
  // The sums of products alone are below 2^31; with c they may not be.
  Matrices<std::int32_t, most> all(std::uint32_t{}, layouts, a, b, c, of(product.a), of(product.b),
                                   [](std::uint32_t) { return 0; });
  all.add_products(product.shape);
  for_each_element<std::uint32_t>(layouts[2], c, [&](unsigned row, unsigned column, std::uint32_t before) {
    std::int32_t& sum = all.sums.at[row][column];
    sum = static_cast<std::int32_t>(
        from_integer(std::int64_t{static_cast<std::int32_t>(before)} + sum, product.satfinite));
  });
  fill_fragment<std::uint32_t>(layouts[3], d, [&](unsigned row, unsigned column) {
    return static_cast<std::uint32_t>(all.sums.at[row][column]);
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
  for_each_element<std::uint32_t>(layouts[2], c, [&](unsigned row, unsigned column, std::uint32_t x) {
    for (unsigned k = 0; k < product.shape.k / 32u; ++k) {
      const std::uint32_t p = left.at[row][k], q = right.at[column][k];
      x += static_cast<std::uint32_t>(std::popcount(product.exclusive_or ? p ^ q : p & q));
    }
    sums[row][column] = x;
  });
  fill_fragment<std::uint32_t>(layouts[3], d, [&](unsigned row, unsigned column) { return sums[row][column]; });
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
