// Products of matrices: which lane holds which element, and what is computed.
#include "ptx/semantics/matrix.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <functional>
#include <random>

#include "ptx/decode.hpp"
#include "ptx/keywords.hpp"
#include "ptx/semantics/convert.hpp"
#include "ptx/semantics/float_arithmetic.hpp"

namespace heddle::ptx::semantics {
namespace {

// Row and column of element `i` of a lane, as PTX ISA 9.7.15.5 gives them; g: groupID, t: threadID_in_group.
using Formula = std::function<std::pair<unsigned, unsigned>(unsigned g, unsigned t, unsigned i)>;
struct Fragment {
  const char* name;
  MatrixShape shape;
  Type type;
  Matrix matrix;
  unsigned elements;
  Formula formula;
};

const Fragment fragments[] = {
    {"m16n8k8 f16 a",
     {16, 8, 8},
     Type::f16,
     Matrix::a,
     4,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(i < 2 ? g : g + 8, t * 2 + (i & 1)); }},
    {"m16n8k8 f16 b",
     {16, 8, 8},
     Type::f16,
     Matrix::b,
     2,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(t * 2 + (i & 1), g); }},
    {"m16n8k16 f16 a",
     {16, 8, 16},
     Type::f16,
     Matrix::a,
     8,
     [](unsigned g, unsigned t, unsigned i) {
       return std::pair(i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0));
     }},
    {"m16n8k16 bf16 b",
     {16, 8, 16},
     Type::bf16,
     Matrix::b,
     4,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g); }},
    {"m16n8k16 f32 c",
     {16, 8, 16},
     Type::f32,
     Matrix::c,
     4,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(i < 2 ? g : g + 8, t * 2 + (i & 1)); }},
    {"m16n8k16 f16 c",
     {16, 8, 16},
     Type::f16,
     Matrix::c,
     4,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(i < 2 ? g : g + 8, t * 2 + (i & 1)); }},
    {"m16n8k4 tf32 a",
     {16, 8, 4},
     Type::tf32,
     Matrix::a,
     2,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(i == 0 ? g : g + 8, t); }},
    {"m16n8k8 tf32 a",
     {16, 8, 8},
     Type::tf32,
     Matrix::a,
     4,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4); }},
    {"m16n8k8 tf32 b",
     {16, 8, 8},
     Type::tf32,
     Matrix::b,
     2,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(i == 0 ? t : t + 4, g); }},
    {"m8n8k4 f64 a",
     {8, 8, 4},
     Type::f64,
     Matrix::a,
     1,
     [](unsigned g, unsigned t, unsigned) { return std::pair(g, t); }},
    {"m8n8k4 f64 b",
     {8, 8, 4},
     Type::f64,
     Matrix::b,
     1,
     [](unsigned g, unsigned t, unsigned) { return std::pair(t, g); }},
    {"m8n8k4 f64 c",
     {8, 8, 4},
     Type::f64,
     Matrix::c,
     2,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(g, t * 2 + (i & 1)); }},
    {"m16n8k16 f64 a",
     {16, 8, 16},
     Type::f64,
     Matrix::a,
     8,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(i % 2 == 0 ? g : g + 8, i / 2 * 4 + t); }},
    {"m16n8k16 f64 b",
     {16, 8, 16},
     Type::f64,
     Matrix::b,
     4,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(t + i * 4, g); }},
    {"m8n8k16 s8 a",
     {8, 8, 16},
     Type::s8,
     Matrix::a,
     4,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(g, t * 4 + i); }},
    {"m16n8k16 u8 a",
     {16, 8, 16},
     Type::u8,
     Matrix::a,
     8,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(i < 4 ? g : g + 8, t * 4 + (i & 3)); }},
    {"m16n8k32 s8 a",
     {16, 8, 32},
     Type::s8,
     Matrix::a,
     16,
     [](unsigned g, unsigned t, unsigned i) {
       return std::pair(i < 4 || (i >= 8 && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16));
     }},
    {"m16n8k32 e4m3 b",
     {16, 8, 32},
     Type::e4m3,
     Matrix::b,
     8,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(t * 4 + (i & 3) + (i < 4 ? 0 : 16), g); }},
    {"m8n8k32 u4 b",
     {8, 8, 32},
     Type::u4,
     Matrix::b,
     8,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(t * 8 + i, g); }},
    {"m16n8k64 s4 a",
     {16, 8, 64},
     Type::s4,
     Matrix::a,
     32,
     [](unsigned g, unsigned t, unsigned i) {
       return std::pair(i < 8 || (i >= 16 && i < 24) ? g : g + 8, t * 8 + (i & 7) + (i < 16 ? 0 : 32));
     }},
    {"m16n8k64 s4 b",
     {16, 8, 64},
     Type::s4,
     Matrix::b,
     16,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(t * 8 + (i & 7) + (i < 8 ? 0 : 32), g); }},
    {"m16n8k256 b1 a",
     {16, 8, 256},
     Type::b1,
     Matrix::a,
     128,
     [](unsigned g, unsigned t, unsigned i) {
       return std::pair(i < 32 || (i >= 64 && i < 96) ? g : g + 8, t * 32 + (i & 31) + (i < 64 ? 0 : 128));
     }},
    {"m16n8k256 b1 b",
     {16, 8, 256},
     Type::b1,
     Matrix::b,
     64,
     [](unsigned g, unsigned t, unsigned i) { return std::pair(t * 32 + (i & 31) + (i < 32 ? 0 : 128), g); }},
};

TEST(MatrixFragments, HoldWhatTheIsaSays) {
  for (const Fragment& fragment : fragments) {
    const FragmentLayout layout(fragment.matrix, fragment.shape, fragment.type);
    ASSERT_EQ(layout.distinct * layout.per_register, fragment.elements) << fragment.name;
    for (unsigned lane = 0; lane < matrix_lanes; ++lane)
      for (unsigned i = 0; i < fragment.elements; ++i) {
        const auto place = layout.place(lane, i / layout.per_register, i % layout.per_register);
        const auto expected = fragment.formula(lane / 4, lane % 4, i);
        const std::pair<unsigned, unsigned> found(place.row, place.column);
        ASSERT_EQ(found, expected) << fragment.name << " " << lane << " " << i;
      }
  }
}

// Of wmma, whose places are open: each element once, and the rest repeats.
TEST(MatrixFragments, HoldEachElementOnce) {
  for (const MatrixShape shape : {MatrixShape{16, 16, 16}, MatrixShape{32, 8, 16}, MatrixShape{8, 32, 16}}) {
    for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
      const FragmentLayout layout(matrix, shape, Type::f16);
      std::vector<int> seen(std::size_t{layout.rows} * layout.columns, 0);
      for (unsigned lane = 0; lane < matrix_lanes; ++lane)
        for (unsigned reg = 0; reg < layout.distinct; ++reg)
          for (unsigned e = 0; e < layout.per_register; ++e) {
            const auto place = layout.place(lane, reg, e);
            ASSERT_LT(place.row, layout.rows);
            ASSERT_LT(place.column, layout.columns);
            ++seen[std::size_t{place.row} * layout.columns + place.column];
            const auto again = layout.place(lane, reg + layout.distinct, e);
            EXPECT_TRUE(again.row == place.row && again.column == place.column);
          }
      EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
    }
  }
}

// Fragments of four matrices, with their elements by place.
struct Warp {
  explicit Warp(const MatrixProduct& of)
      : product(of),
        layouts{FragmentLayout(Matrix::a, of.shape, of.a), FragmentLayout(Matrix::b, of.shape, of.b),
                FragmentLayout(Matrix::c, of.shape, of.c), FragmentLayout(Matrix::c, of.shape, of.d)},
        wide(of.a == Type::f64) {
    for (auto& fragment : words) fragment.resize(matrix_lanes * 16);
  }
  unsigned bits_of(unsigned i) const {
    const Type type = std::array{product.a, product.b, product.c, product.d}[i];
    return type == Type::tf32 ? 32 : bit_width(type);
  }
  void for_each(unsigned i,
                const std::function<void(unsigned row, unsigned column, unsigned at, unsigned shift)>& visit) {
    for (unsigned reg = 0; reg < layouts[i].distinct; ++reg)
      for (unsigned lane = 0; lane < matrix_lanes; ++lane)
        for (unsigned e = 0; e < layouts[i].per_register; ++e) {
          const auto place = layouts[i].place(lane, reg, e);
          visit(place.row, place.column, reg * matrix_lanes + lane, e * bits_of(i));
        }
  }
  void set(unsigned i, const std::function<std::uint64_t(unsigned row, unsigned column)>& bits) {
    std::fill(words[i].begin(), words[i].end(), 0);
    for_each(i, [&](unsigned row, unsigned column, unsigned at, unsigned shift) {
      words[i][at] |= bits(row, column) << shift;
    });
  }
  std::vector<std::uint64_t> multiply() {
    std::array<std::vector<std::uint32_t>, 4> narrow;
    std::array<void*, 4> data{};
    for (unsigned i = 0; i < 4; ++i) {
      narrow[i].assign(words[i].begin(), words[i].end());
      data[i] = wide ? static_cast<void*>(words[i].data()) : narrow[i].data();
    }
    multiply_matrices(product, data[0], data[1], data[2], data[3]);
    if (!wide) words[3].assign(narrow[3].begin(), narrow[3].end());
    std::vector<std::uint64_t> result(std::size_t{product.shape.m} * product.shape.n);
    for_each(3, [&](unsigned row, unsigned column, unsigned at, unsigned shift) {
      const std::uint64_t mask = bits_of(3) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_of(3)) - 1;
      result[row * product.shape.n + column] = words[3][at] >> shift & mask;
    });
    return result;
  }
  MatrixProduct product;
  std::array<FragmentLayout, 4> layouts;
  bool wide;
  std::array<std::vector<std::uint64_t>, 4> words;
};

// Any bits: NaNs, infinities and subnormal numbers among them. The sums are those of the soft functions.
void expect_float_product(const MatrixProduct& product, bool small) {
  Warp warp(product);
  std::mt19937_64 random(7);
  const auto value = [&](Type type) {
    const auto bits = [&] {
      return random() & (bit_width(type) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(type)) - 1);
    };
    if (!small) return bits();
    return convert(type, Type::s64, static_cast<std::uint64_t>(static_cast<std::int64_t>(random() % 17) - 8), {});
  };
  const unsigned m = product.shape.m, n = product.shape.n, k = product.shape.k;
  std::vector<std::uint64_t> a, b, c;
  for (unsigned i = 0; i < m * k; ++i) a.push_back(value(product.a));
  for (unsigned i = 0; i < k * n; ++i) b.push_back(value(product.b));
  for (unsigned i = 0; i < m * n; ++i) c.push_back(value(product.c));
  warp.set(0, [&](unsigned row, unsigned column) { return a[row * k + column]; });
  warp.set(1, [&](unsigned row, unsigned column) { return b[row * n + column]; });
  warp.set(2, [&](unsigned row, unsigned column) { return c[row * n + column]; });
  const auto results = warp.multiply();
  const bool is_double = product.a == Type::f64;
  const Format format = is_double ? f64_format : f32_format;
  const auto widened = [&](Type type, std::uint64_t bits) {
    if (is_double || type == Type::f32) return bits;
    if (type == Type::tf32) return bits & 0xffffe000;
    return convert(Type::f32, type, bits, {});
  };
  for (unsigned i = 0; i < m * n; ++i) {
    std::uint64_t sum = widened(product.c, c[i]);
    for (unsigned j = 0; j < k; ++j) {
      const std::uint64_t x = widened(product.a, a[i / n * k + j]), y = widened(product.b, b[j * n + i % n]);
      const FloatMode mode{.rounding = product.rounding};
      sum = is_double ? float_fma(format, x, y, sum, mode) : float_add(format, float_mul(format, x, y, {}), sum, {});
    }
    if (product.d == Type::f16) sum = convert(Type::f16, Type::f32, sum, {});
    ASSERT_EQ(results[i], sum) << "element " << i << " of " << name(product.a) << ", " << name(product.d);
  }
}

TEST(MatrixProducts, OfFloatsAreSumsInOrder) {
  for (const bool small : {true, false}) {
    for (const Type type : {Type::f16, Type::bf16})
      for (const MatrixShape shape : {MatrixShape{16, 8, 8}, MatrixShape{16, 8, 16}, MatrixShape{32, 8, 16}})
        expect_float_product({.shape = shape, .a = type, .b = type, .c = Type::f32, .d = Type::f32}, small);
    expect_float_product({.shape = {16, 8, 16}, .a = Type::f16, .b = Type::f16, .c = Type::f16, .d = Type::f16}, small);
    expect_float_product({.shape = {16, 8, 8}, .a = Type::tf32, .b = Type::tf32, .c = Type::f32, .d = Type::f32},
                         small);
    expect_float_product({.shape = {16, 8, 32}, .a = Type::e4m3, .b = Type::e5m2, .c = Type::f32, .d = Type::f32},
                         small);
    expect_float_product({.shape = {16, 8, 16}, .a = Type::e5m2, .b = Type::e4m3, .c = Type::f16, .d = Type::f16},
                         small);
    for (const Rounding rounding : {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp})
      for (const MatrixShape shape : {MatrixShape{8, 8, 4}, MatrixShape{16, 8, 16}})
        expect_float_product(
            {.shape = shape, .a = Type::f64, .b = Type::f64, .c = Type::f64, .d = Type::f64, .rounding = rounding},
            small);
  }
}

std::int64_t integer_of(Type type, std::uint64_t bits) {
  const std::uint64_t value = bits & ((std::uint64_t{1} << bit_width(type)) - 1);
  return static_cast<std::int64_t>(integer_value(type, value));
}

TEST(MatrixProducts, OfIntegersWrapOrSaturate) {
  const std::pair<Type, MatrixShape> kinds[] = {{Type::s8, {16, 8, 32}},
                                                {Type::u8, {8, 8, 16}},
                                                {Type::u8, {16, 16, 16}},
                                                {Type::s4, {16, 8, 64}},
                                                {Type::u4, {8, 8, 32}}};
  for (const auto& [type, shape] : kinds) {
    for (const bool saturates : {false, true}) {
      const MatrixProduct product{
          .shape = shape, .a = type, .b = type, .c = Type::s32, .d = Type::s32, .satfinite = saturates};
      Warp warp(product);
      std::mt19937 random(3);
      std::vector<std::uint64_t> a(shape.m * shape.k), b(shape.k * shape.n), c(shape.m * shape.n);
      const std::uint64_t mask = (std::uint64_t{1} << bit_width(type)) - 1;
      for (auto& x : a) x = random() & mask;
      for (auto& x : b) x = random() & mask;
      for (auto& x : c) x = random() % 2 == 0 ? 0x7ffffff0u : 0x8000000fu;
      warp.set(0, [&](unsigned row, unsigned column) { return a[row * shape.k + column]; });
      warp.set(1, [&](unsigned row, unsigned column) { return b[row * shape.n + column]; });
      warp.set(2, [&](unsigned row, unsigned column) { return c[row * shape.n + column]; });
      const auto results = warp.multiply();
      for (unsigned i = 0; i < c.size(); ++i) {
        std::int64_t sum = static_cast<std::int32_t>(c[i]);
        for (unsigned j = 0; j < shape.k; ++j)
          sum += integer_of(type, a[i / shape.n * shape.k + j]) * integer_of(type, b[j * shape.n + i % shape.n]);
        if (saturates) sum = std::min<std::int64_t>(std::max<std::int64_t>(sum, INT32_MIN), INT32_MAX);
        ASSERT_EQ(static_cast<std::uint32_t>(results[i]), static_cast<std::uint32_t>(sum)) << name(type) << " " << i;
      }
    }
  }
}

TEST(MatrixProducts, OfBitsCountThem) {
  for (const bool exclusive : {false, true}) {
    for (const MatrixShape shape : {MatrixShape{8, 8, 128}, MatrixShape{16, 8, 256}}) {
      Warp warp(
          {.shape = shape, .a = Type::b1, .b = Type::b1, .c = Type::s32, .d = Type::s32, .exclusive_or = exclusive});
      const auto left = [](unsigned row, unsigned k) { return std::uint64_t{(row * 7 + k * k) % 3 == 0}; };
      const auto right = [](unsigned k, unsigned column) { return std::uint64_t{(column * 5 + k) % 4 < 2}; };
      warp.set(0, left);
      warp.set(1, right);
      warp.set(2, [](unsigned row, unsigned column) { return std::uint64_t{row * 100 + column}; });
      const auto results = warp.multiply();
      for (unsigned i = 0; i < results.size(); ++i) {
        std::uint64_t sum = i / shape.n * 100 + i % shape.n;
        for (unsigned k = 0; k < shape.k; ++k) {
          const std::uint64_t p = left(i / shape.n, k), q = right(k, i % shape.n);
          sum += exclusive ? p ^ q : p & q;
        }
        ASSERT_EQ(results[i], sum) << i;
      }
    }
  }
}

// .satfinite of halves: infinities become the largest number, NaN becomes zero.
TEST(MatrixProducts, OfHalvesStayFiniteOnDemand) {
  Warp warp({.shape = {16, 16, 16}, .a = Type::f16, .b = Type::f16, .c = Type::f16, .d = Type::f16, .satfinite = true});
  const std::uint64_t largest = 0x7bff, one = 0x3c00, nan = 0x7e00;
  warp.set(0, [&](unsigned row, unsigned) {
    return row == 0 ? largest : row == 1 ? largest | 0x8000 : row == 2 ? nan : 0;
  });
  warp.set(1, [&](unsigned, unsigned) { return one; });
  warp.set(2, [&](unsigned, unsigned) { return one; });
  const auto results = warp.multiply();
  EXPECT_EQ(results[0], 0x7bffu);
  EXPECT_EQ(results[16], 0xfbffu);
  EXPECT_EQ(results[32], 0u);
  EXPECT_EQ(results[48], one);
}

TEST(MatrixProducts, AreReadFromInstructionsAndNumbers) {
  const auto vector = [](unsigned size) {
    Operand operand;
    operand.kind = OperandKind::vector;
    for (unsigned i = 0; i < size; ++i) operand.elements.push_back(Operand::make_reg(i));
    return operand;
  };
  const Instruction inst = make_instruction(
      Opcode::mma,
      {Modifier::sync, Modifier::aligned, Modifier::m16n8k16, Modifier::row, Modifier::col, modifier_of(Type::f32),
       modifier_of(Type::bf16), modifier_of(Type::bf16), modifier_of(Type::f32)},
      {vector(4), vector(4), vector(2), vector(4)});
  const std::optional<MatrixProduct> product = matrix_product(inst);
  ASSERT_TRUE(product);
  EXPECT_EQ(*product,
            (MatrixProduct{.shape = {16, 8, 16}, .a = Type::bf16, .b = Type::bf16, .c = Type::f32, .d = Type::f32}));
  MatrixProduct other{.shape = {32, 8, 256},
                      .a = Type::s4,
                      .b = Type::u8,
                      .c = Type::f64,
                      .d = Type::s32,
                      .rounding = Rounding::rp,
                      .satfinite = true,
                      .exclusive_or = true};
  EXPECT_EQ(MatrixProduct::from_code(other.code()), other);
  other.satfinite = other.exclusive_or = false;
  EXPECT_EQ(MatrixProduct::from_code(other.code()), other);
}

}  // namespace
}  // namespace heddle::ptx::semantics
