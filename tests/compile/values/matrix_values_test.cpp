// What products of matrices compute on the devices, against plain sums over matrices of small whole numbers: they are
// exact in every type, in whatever order a device adds.
#include <gmock/gmock.h>

#include <random>

#include "ptx/semantics/convert.hpp"
#include "values/devices.hpp"

namespace heddle::compile::testing {
namespace {

using ptx::Type;

class MatrixValues : public OnDevice {};

// By rows or by columns.
struct Numbers {
  int rows, columns;
  std::vector<int> at;  // by rows
  Numbers(int r, int c, int low, int high, unsigned seed) : rows(r), columns(c) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> number(low, high);
    for (int i = 0; i < r * c; ++i) at.push_back(number(random));
  }
  int get(int row, int column) const { return at[static_cast<std::size_t>(row * columns + column)]; }
};

// Elements of the type side by side, 4-bit ones two in a byte.
std::vector<std::uint8_t> stored(const Numbers& numbers, Type type, bool by_rows) {
  const unsigned bits = type == Type::tf32 ? 32 : ptx::bit_width(type);
  std::vector<std::uint8_t> bytes(numbers.at.size() * bits / 8);
  for (std::size_t i = 0; i < numbers.at.size(); ++i) {
    const int outer = static_cast<int>(i) / (by_rows ? numbers.columns : numbers.rows);
    const int inner = static_cast<int>(i) % (by_rows ? numbers.columns : numbers.rows);
    const int value = by_rows ? numbers.get(outer, inner) : numbers.get(inner, outer);
    const std::uint64_t word =
        ptx::semantics::convert(type, Type::s64, static_cast<std::uint64_t>(std::int64_t{value}), {});
    for (unsigned b = 0; b < bits; ++b)
      bytes[(i * bits + b) / 8] |= static_cast<std::uint8_t>((word >> b & 1) << ((i * bits + b) % 8));
  }
  return bytes;
}

Numbers product(const Numbers& a, const Numbers& b, const Numbers& c) {
  Numbers d = c;
  for (int row = 0; row < c.rows; ++row)
    for (int column = 0; column < c.columns; ++column)
      for (int k = 0; k < a.columns; ++k)
        d.at[static_cast<std::size_t>(row * c.columns + column)] += a.get(row, k) * b.get(k, column);
  return d;
}

struct Kind {
  const char* name;
  Type of_ab, of_c;
  int low, high;
};

void expect_product(device::Device& device, const std::string& kernel, const Kind& kind, int m, int n, int k,
                    bool a_by_rows, bool b_by_rows, bool c_by_rows) {
  SCOPED_TRACE(kernel);
  Program program(device, "matrix_values.cu");
  const Numbers a(m, k, kind.low, kind.high, 1), b(k, n, kind.low, kind.high, 2), c(m, n, -9, 9, 3);
  auto at_a = program.buffer(stored(a, kind.of_ab, a_by_rows)), at_b = program.buffer(stored(b, kind.of_ab, b_by_rows));
  auto at_c = program.buffer(stored(c, kind.of_c, c_by_rows));
  auto at_d = program.buffer(std::vector<std::uint8_t>(at_c.count));
  program.run(kernel, {.grid = {1}, .block = {32}}, at_a.address(), at_b.address(), at_c.address(), at_d.address());
  EXPECT_EQ(program.read(at_d), stored(product(a, b, c), kind.of_c, c_by_rows));
}

void expect_products(device::Device& device, const Kind& kind, int m, int n, int k) {
  const std::string name =
      std::string(kind.name) + "_" + std::to_string(m) + "_" + std::to_string(n) + "_" + std::to_string(k);
  expect_product(device, name + "_row_row_row", kind, m, n, k, true, true, true);
  expect_product(device, name + "_row_col_col", kind, m, n, k, true, false, false);
  expect_product(device, name + "_col_row_col", kind, m, n, k, false, true, false);
  expect_product(device, name + "_col_col_row", kind, m, n, k, false, false, true);
}

TEST_P(MatrixValues, OfEachTypeShapeAndLayout) {
  const Kind kinds[] = {{"f16_f32", Type::f16, Type::f32, -20, 20},
                        {"f16_f16", Type::f16, Type::f16, -5, 5},
                        {"bf16_f32", Type::bf16, Type::f32, -20, 20},
                        {"s8_s32", Type::s8, Type::s32, -128, 127},
                        {"u8_s32", Type::u8, Type::s32, 0, 255}};
  for (const Kind& kind : kinds) {
    expect_products(*device_, kind, 16, 16, 16);
    expect_products(*device_, kind, 32, 8, 16);
    expect_products(*device_, kind, 8, 32, 16);
  }
  expect_products(*device_, {"tf32_f32", Type::tf32, Type::f32, -20, 20}, 16, 16, 8);
  expect_products(*device_, {"f64_f64", Type::f64, Type::f64, -1000, 1000}, 8, 8, 4);
  expect_product(*device_, "s4_s32_8_8_32", {"", Type::s4, Type::s32, -8, 7}, 8, 8, 32, true, false, true);
}

TEST_P(MatrixValues, OfBits) {
  Program program(*device_, "matrix_values.cu");
  std::mt19937 random(1);
  std::vector<std::uint32_t> a(32), b(32);  // eight rows, eight columns of 128 bits
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::uint32_t>(random());
    b[i] = static_cast<std::uint32_t>(random());
  }
  std::vector<int> c(64, 5);
  auto at_a = program.buffer(a), at_b = program.buffer(b);
  auto at_c = program.buffer(c), at_d = program.buffer(c);
  for (const int both : {0, 1}) {
    program.run("b1_s32_8_8_128", {.grid = {1}, .block = {32}}, at_a.address(), at_b.address(), at_c.address(),
                at_d.address(), both);
    std::vector<int> expected = c;
    for (std::size_t i = 0; i < 64; ++i)
      for (std::size_t w = 0; w < 4; ++w) {
        const std::uint32_t p = a[i / 8 * 4 + w], q = b[i % 8 * 4 + w];
        expected[i] += std::popcount(both != 0 ? p & q : p ^ q);
      }
    EXPECT_EQ(program.read(at_d), expected) << both;
  }
}

TEST_P(MatrixValues, OfManyTiles) {
  Program program(*device_, "matrix_values.cu");
  const int n = 64;
  const Numbers a(n, n, -4, 4, 1), b(n, n, -4, 4, 2), c(n, n, -9, 9, 3), zeros(n, n, 0, 0, 0);
  Numbers expected = product(a, b, zeros);
  for (std::size_t i = 0; i < expected.at.size(); ++i) expected.at[i] = 3 * expected.at[i] + c.at[i];
  auto at_a = program.buffer(stored(a, Type::f16, true)), at_b = program.buffer(stored(b, Type::f16, false));
  auto at_c = program.buffer(stored(c, Type::f32, true));
  program.run("gemm", {.grid = {2, 2}, .block = {128}}, n, at_a.address(), at_b.address(), at_c.address(), 3.0f);
  EXPECT_EQ(program.read(at_c), stored(expected, Type::f32, true));
}

TEST_P(MatrixValues, OfTilesFromSharedMemory) {
  Program program(*device_, "matrix_values.cu");
  const Numbers a(16, 16, -20, 20, 1), b(16, 8, -20, 20, 2), zeros(16, 8, 0, 0, 0);
  auto at_a = program.buffer(stored(a, Type::f16, true)), at_b = program.buffer(stored(b, Type::f16, true));
  const auto expected = stored(product(a, b, zeros), Type::f32, true);
  for (const bool after_locks : {false, true}) {
    auto at_d = program.buffer(std::vector<std::uint8_t>(expected.size()));
    auto lock = program.buffer(std::vector<int>{0, 0});
    if (after_locks)
      program.run("tile_after_locks", {.grid = {1}, .block = {32}}, at_a.address(), at_b.address(), at_d.address(),
                  lock.address(), lock.address() + 4);
    else
      program.run("tile", {.grid = {1}, .block = {32}}, at_a.address(), at_b.address(), at_d.address());
    EXPECT_EQ(program.read(at_d), expected) << after_locks;
    EXPECT_EQ(program.read(lock)[1], after_locks ? 32 : 0);
  }
}

TEST_P(MatrixValues, OfTilesOfBytes) {
  Program program(*device_, "matrix_values.cu");
  const Numbers a(16, 32, -128, 127, 1), b(32, 8, -128, 127, 2), zeros(16, 8, 0, 0, 0);
  auto at_a = program.buffer(stored(a, Type::s8, true)), at_b = program.buffer(stored(b, Type::s8, false));
  const auto expected = stored(product(a, b, zeros), Type::s32, true);
  auto at_d = program.buffer(std::vector<std::uint8_t>(expected.size()));
  program.run("tile_of_bytes", {.grid = {1}, .block = {32}}, at_a.address(), at_b.address(), at_d.address());
  EXPECT_EQ(program.read(at_d), expected);
}

TEST_P(MatrixValues, MovesAndTransposesTiles) {
  Program program(*device_, "matrix_values.cu", 90);
  std::vector<std::uint16_t> in(128), turned(128);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(1000 + i);
  for (std::size_t i = 0; i < in.size(); ++i) turned[i] = in[i / 64 * 64 + i % 8 * 8 + i % 64 / 8];
  auto at_in = program.buffer(in), same = program.buffer(std::vector<std::uint16_t>(128));
  auto at_turned = program.buffer(std::vector<std::uint16_t>(128));
  program.run("transposed", {.grid = {1}, .block = {32}}, at_in.address(), same.address(), at_turned.address());
  EXPECT_EQ(program.read(same), in);
  EXPECT_EQ(program.read(at_turned), turned);
}

INSTANTIATE_TEST_SUITE_P(Devices, MatrixValues, ::testing::ValuesIn(device_choices()), device_name);

}  // namespace
}  // namespace heddle::compile::testing
