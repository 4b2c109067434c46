#include "ptx/semantics/matrix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "heddle/error.hpp"
#include "ptx/semantics/convert.hpp"
#include "ptx/semantics/float_arithmetic.hpp"
#include "ptx/semantics/matrix_fragments.hpp"
#include "ptx/type.hpp"

namespace heddle::ptx::semantics {
namespace {

// Of the largest shapes of floating point, bytes and halves of bytes.
constexpr std::size_t most_factor = 16 * 64, most_sums = 16 * 16;
constexpr unsigned rows_at_once = 4, columns_at_once = 8;  // every shape has multiples

template <class T>
using Columns [[gnu::vector_size(columns_at_once * sizeof(T))]] = T;

// Both factors and the sums, by rows.
template <class T>
struct Matrices {
  alignas(64) std::array<T, most_factor> left;
  alignas(64) std::array<T, most_factor> right;
  alignas(64) std::array<T, most_sums> sums;

  // Each sum in the order of k. Several rows at once, as an addition waits for the one before it.
  [[gnu::always_inline]] void add_products(const MatrixShape& shape) {
    for (unsigned row = 0; row < shape.m; row += rows_at_once)
      for (unsigned column = 0; column < shape.n; column += columns_at_once) add_products(shape, row, column);
  }
  [[gnu::always_inline]] void add_products(const MatrixShape& shape, unsigned row, unsigned column) {
    Columns<T> sum[rows_at_once], factors;  // in registers, where loops are unrolled
#pragma GCC unroll 4
    for (unsigned i = 0; i < rows_at_once; ++i)
      std::memcpy(&sum[i], &sums[(row + i) * shape.n + column], sizeof sum[i]);
    for (unsigned k = 0; k < shape.k; ++k) {
      std::memcpy(&factors, &right[k * shape.n + column], sizeof factors);
#pragma GCC unroll 4
      for (unsigned i = 0; i < rows_at_once; ++i) sum[i] += left[(row + i) * shape.k + k] * factors;
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < rows_at_once; ++i)
      std::memcpy(&sums[(row + i) * shape.n + column], &sum[i], sizeof sum[i]);
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Floating point in f32

// Exact: the exponent is moved by a product, which also makes subnormal numbers normal.
float from_f16(std::uint32_t bits) {
  constexpr float scale = 0x1p112f;
  constexpr std::uint32_t first_special = 0x0f800000, special_exponent = 0x7f800000;
  const std::uint32_t magnitude = (bits & 0x7fff) << 13;
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * scale);
  const std::uint32_t special = magnitude >= first_special ? special_exponent : 0;
  return std::bit_cast<float>(scaled | special | (bits & 0x8000) << 16);
}

// As convert() to the nearest number, canonical NaNs included, without branches.
std::uint32_t to_f16(float value) {
  constexpr std::uint32_t infinity = 0x7f800000, first_infinite = 0x47800000, first_normal = 0x38800000;
  constexpr std::uint32_t exponents_moved = 0xc8000000, half_of_last = 0xfff;
  constexpr float aligning = 0.5F;  // its last bit is that of subnormal numbers of f16
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  const std::uint32_t normal = (magnitude + exponents_moved + half_of_last + (magnitude >> 13 & 1)) >> 13;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + aligning) - std::bit_cast<std::uint32_t>(aligning);
  std::uint32_t result = magnitude < first_normal ? subnormal : normal;
  result = magnitude >= first_infinite ? 0x7c00 : result;
  return magnitude > infinity ? 0x7fff : result | sign;
}

template <Type type>
float to_float(std::uint32_t bits) {
  constexpr std::uint32_t tf32_mask = 0xffffe000;
  if constexpr (type == Type::f16) return from_f16(bits);
  if constexpr (type == Type::bf16) return std::bit_cast<float>(bits << 16);
  if constexpr (type == Type::tf32) return std::bit_cast<float>(bits & tf32_mask);
  if constexpr (type == Type::f32) return std::bit_cast<float>(bits);
  return std::bit_cast<float>(static_cast<std::uint32_t>(convert(Type::f32, type, bits & 0xff, {})));
}

// Of f16 or f32.
template <Type type, bool satfinite>
std::uint32_t from_float(float value) {
  constexpr bool half = type == Type::f16;
  constexpr std::uint32_t infinity = half ? 0x7c00 : 0x7f800000, sign = half ? 0x8000 : 0x80000000;
  constexpr std::uint32_t nan = satfinite ? 0 : half ? 0x7fff : 0x7fffffff;
  const std::uint32_t bits = half ? to_f16(value) : std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & ~sign;
  const std::uint32_t finite = satfinite && magnitude == infinity ? bits - 1 : bits;
  return magnitude > infinity ? nan : finite;
}

template <Type type, unsigned bits>
[[gnu::always_inline]] inline void read_float_factor(const FragmentLayout& layout, const void* registers,
                                                     float* matrix) {
  read_factor<bits, std::uint32_t>(layout, registers, matrix, [](std::uint32_t x) { return to_float<type>(x); });
}

[[gnu::always_inline]] inline void read_float_factor(Type type, const FragmentLayout& layout, const void* registers,
                                                     float* matrix) {
  switch (type) {
    case Type::f16: return read_float_factor<Type::f16, 16>(layout, registers, matrix);
    case Type::bf16: return read_float_factor<Type::bf16, 16>(layout, registers, matrix);
    case Type::tf32: return read_float_factor<Type::tf32, 32>(layout, registers, matrix);
    case Type::e4m3: return read_float_factor<Type::e4m3, 8>(layout, registers, matrix);
    case Type::e5m2: return read_float_factor<Type::e5m2, 8>(layout, registers, matrix);
    default: throw Error(ErrorCode::internal, "no type of matrices of floating point");
  }
}

template <Type type, bool satfinite>
[[gnu::always_inline]] inline void write_float_sums(const FragmentLayout& layout, const float* sums, void* registers) {
  constexpr unsigned bits = type == Type::f16 ? 16 : 32;
  write_sums<bits, std::uint32_t>(layout, sums, registers, [](float sum) { return from_float<type, satfinite>(sum); });
}

struct Fragments {
  const FragmentLayout (&layouts)[4];
  const void *a, *b, *c;
  void* d;
};

[[gnu::always_inline]] inline void multiply_floats_here(const MatrixProduct& product, const Fragments& of) {
  Matrices<float> all;
  float* const sums = all.sums.data();
  read_float_factor(product.a, of.layouts[0], of.a, all.left.data());
  read_float_factor(product.b, of.layouts[1], of.b, all.right.data());
  if (product.c == Type::f16)
    read_sums<16, std::uint32_t>(of.layouts[2], of.c, sums, [](std::uint32_t bits) { return from_f16(bits); });
  else
    read_sums<32, std::uint32_t>(of.layouts[2], of.c, sums, [](auto bits) { return std::bit_cast<float>(bits); });
  all.add_products(product.shape);
  const bool half = product.d == Type::f16;
  if (product.satfinite && half) return write_float_sums<Type::f16, true>(of.layouts[3], sums, of.d);
  if (product.satfinite) return write_float_sums<Type::f32, true>(of.layouts[3], sums, of.d);
  if (half) return write_float_sums<Type::f16, false>(of.layouts[3], sums, of.d);
  write_float_sums<Type::f32, false>(of.layouts[3], sums, of.d);
}

#if defined(__x86_64__)
// Not with fused multiply-add: products of bf16 and tf32 may be subnormal, and are rounded.
[[gnu::target("avx2")]] void multiply_floats_avx2(const MatrixProduct& product, const Fragments& of) {
  multiply_floats_here(product, of);
}
#endif

void multiply_floats(const MatrixProduct& product, const Fragments& of) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return multiply_floats_avx2(product, of);
#endif
  multiply_floats_here(product, of);
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

void multiply_doubles(const MatrixProduct& product, const Fragments& of) {
  const auto number = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  Matrices<double> all;
  read_factor<64, std::uint64_t>(of.layouts[0], of.a, all.left.data(), number);
  read_factor<64, std::uint64_t>(of.layouts[1], of.b, all.right.data(), number);
  read_sums<64, std::uint64_t>(of.layouts[2], of.c, all.sums.data(), number);
  const MatrixShape& shape = product.shape;
  for (unsigned row = 0; row < shape.m; ++row)
    for (unsigned column = 0; column < shape.n; ++column)
      for (unsigned k = 0; k < shape.k; ++k)
        all.sums[row * shape.n + column] = fused(all.left[row * shape.k + k], all.right[k * shape.n + column],
                                                 all.sums[row * shape.n + column], product.rounding);
  write_sums<64, std::uint64_t>(of.layouts[3], all.sums.data(), of.d,
                                [](double sum) { return std::bit_cast<std::uint64_t>(sum); });
}

// ---------------------------------------------------------------------------------------------------------------------
// Integers and bits

template <Type type>
std::int32_t to_integer(std::uint32_t bits) {
  if constexpr (type == Type::s8) return static_cast<std::int8_t>(bits);
  if constexpr (type == Type::u8) return static_cast<std::uint8_t>(bits);
  if constexpr (type == Type::s4) return static_cast<std::int32_t>(bits << 28) >> 28;
  return static_cast<std::int32_t>(bits & 15);
}

template <Type type, unsigned bits>
void read_integer_factor(const FragmentLayout& layout, const void* registers, std::int32_t* matrix) {
  read_factor<bits, std::uint32_t>(layout, registers, matrix, [](std::uint32_t x) { return to_integer<type>(x); });
}

void read_integer_factor(Type type, const FragmentLayout& layout, const void* registers, std::int32_t* matrix) {
  switch (type) {
    case Type::s8: return read_integer_factor<Type::s8, 8>(layout, registers, matrix);
    case Type::u8: return read_integer_factor<Type::u8, 8>(layout, registers, matrix);
    case Type::s4: return read_integer_factor<Type::s4, 4>(layout, registers, matrix);
    default: return read_integer_factor<Type::u4, 4>(layout, registers, matrix);
  }
}

// The sums of products alone are below 2^31; with c they may not be.
std::int32_t added(std::int32_t before, std::int32_t products, bool satfinite) {
  using Limits = std::numeric_limits<std::int32_t>;
  const std::int64_t sum = std::int64_t{before} + products;
  return static_cast<std::int32_t>(satfinite ? std::clamp<std::int64_t>(sum, Limits::min(), Limits::max()) : sum);
}

void multiply_integers(const MatrixProduct& product, const Fragments& of) {
  Matrices<std::int32_t> all;
  read_integer_factor(product.a, of.layouts[0], of.a, all.left.data());
  read_integer_factor(product.b, of.layouts[1], of.b, all.right.data());
  all.sums.fill(0);
  all.add_products(product.shape);
  std::array<std::int32_t, most_sums> before;
  read_sums<32, std::uint32_t>(of.layouts[2], of.c, before.data(),
                               [](std::uint32_t bits) { return static_cast<std::int32_t>(bits); });
  for (unsigned i = 0; i < product.shape.m * product.shape.n; ++i)
    all.sums[i] = added(before[i], all.sums[i], product.satfinite);
  write_sums<32, std::uint32_t>(of.layouts[3], all.sums.data(), of.d,
                                [](std::int32_t sum) { return static_cast<std::uint32_t>(sum); });
}

// Registers of 32 bits along k.
void multiply_bits(const MatrixProduct& product, const Fragments& of) {
  constexpr std::size_t most_rows = 16, most_words = 8;
  std::uint32_t left[most_rows][most_words], right[most_rows][most_words];
  const auto read = [](const FragmentLayout& layout, const void* registers, auto&& keep) {
    const auto* words = static_cast<const std::uint32_t*>(registers);
    for (unsigned i = 0; i < layout.distinct * matrix_lanes; ++i)
      keep(layout.place(i % matrix_lanes, i / matrix_lanes, 0), words[i]);
  };
  read(of.layouts[0], of.a, [&](auto place, std::uint32_t word) { left[place.row][place.column / 32] = word; });
  read(of.layouts[1], of.b, [&](auto place, std::uint32_t word) { right[place.column][place.row / 32] = word; });
  std::array<std::uint32_t, most_sums> sums;
  const auto same = [](std::uint32_t bits) { return bits; };
  read_sums<32, std::uint32_t>(of.layouts[2], of.c, sums.data(), same);
  for (unsigned i = 0; i < product.shape.m * product.shape.n; ++i)
    for (unsigned k = 0; k < product.shape.k / 32U; ++k) {
      const std::uint32_t p = left[i / product.shape.n][k], q = right[i % product.shape.n][k];
      sums[i] += static_cast<std::uint32_t>(std::popcount(product.exclusive_or ? p ^ q : p & q));
    }
  write_sums<32, std::uint32_t>(of.layouts[3], sums.data(), of.d, same);
}

}  // namespace

void multiply_matrices(const MatrixProduct& product, const void* a, const void* b, const void* c, void* d) {
  const FragmentLayout layouts[] = {{Matrix::a, product.shape, product.a},
                                    {Matrix::b, product.shape, product.b},
                                    {Matrix::c, product.shape, product.c},
                                    {Matrix::c, product.shape, product.d}};
  const Fragments of{layouts, a, b, c, d};
  switch (product.a) {
    case Type::f64: return multiply_doubles(product, of);
    case Type::b1: return multiply_bits(product, of);
    case Type::u8:
    case Type::s8:
    case Type::u4:
    case Type::s4: return multiply_integers(product, of);
    default: return multiply_floats(product, of);
  }
}

}  // namespace heddle::ptx::semantics
