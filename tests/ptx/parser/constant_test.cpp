#include <bit>

#include "ptx/parser/fixture.hpp"

namespace heddle::ptx {
namespace {

std::int64_t integer(const std::string& expression) {
  const Module m = test::kernel("mov.u64 %rd1, " + expression + ";");
  const Operand& value = m.functions[0].body[0].operands[1];
  EXPECT_EQ(value.kind, OperandKind::integer) << expression;
  return value.value;
}

std::string mistake(const std::string& expression) {
  return test::error_of(test::kernel_text("mov.u64 %rd1, " + expression + ";"));
}

TEST(Constant, Literals) {
  EXPECT_EQ(integer("42"), 42);
  EXPECT_EQ(integer("0x2A"), 42);
  EXPECT_EQ(integer("052"), 42);
  EXPECT_EQ(integer("0b101010U"), 42);
  EXPECT_EQ(integer("18446744073709551615"), -1);
  EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
}

TEST(Constant, OperatorsBindAsInC) {
  EXPECT_EQ(integer("1 + 2 * 3"), 7);
  EXPECT_EQ(integer("(1 + 2) * 3"), 9);
  EXPECT_EQ(integer("10 - 3 - 2"), 5);
  EXPECT_EQ(integer("7 % 4 + 8 / 2"), 7);
  EXPECT_EQ(integer("7 %4"), 3);
  EXPECT_EQ(integer("1 << 4 | 3 & 2 ^ 1"), 16 | ((3 & 2) ^ 1));
  EXPECT_EQ(integer("5 > 3 && 2 <= 1 || 4 != 4"), 0);
  EXPECT_EQ(integer("1 ? 2 ? 3 : 4 : 5"), 3);
  EXPECT_EQ(integer("!0 + ~0 + -(-2)"), 2);
  EXPECT_EQ(integer("WARP_SZ - 1"), 31);
  EXPECT_EQ(integer("-WARP_SZ"), -32);
}

TEST(Constant, UnsignedTakesOver) {
  EXPECT_EQ(integer("-1 / 2"), 0);
  EXPECT_EQ(integer("-1 / 2U"), INT64_MAX);
  EXPECT_EQ(integer("(.u64)-1 >> 63"), 1);
  EXPECT_EQ(integer("(.s64)18446744073709551615 >> 63"), -1);
  EXPECT_EQ(integer("-1 < 0U"), 0);
  EXPECT_EQ(integer("(.s64)9223372036854775808 / -1"), INT64_MIN);
  EXPECT_EQ(integer("1 << 64"), 0);
}

TEST(Constant, Reals) {
  const Module m =
      test::kernel("mov.f64 %fd1, 1.5 * (2.0 + .5); mov.f32 %f1, -0f3F800000; mov.f64 %fd1, 0d3FF0000000000000;");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(std::bit_cast<double>(body[0].operands[1].value), 3.75);
  EXPECT_EQ(body[0].operands[1].real_type, Type::f64);
  EXPECT_EQ(body[1].operands[1].value, 0xBF800000);
  EXPECT_EQ(body[1].operands[1].real_type, Type::f32);
  EXPECT_EQ(std::bit_cast<double>(body[2].operands[1].value), 1.0);
}

TEST(Constant, Mistakes) {
  EXPECT_EQ(mistake("1 / 0"),
            "t:6:17: found '/', expected an operator that fits its operands, and no division by zero");
  EXPECT_EQ(mistake("1 + 2.0"),
            "t:6:17: found '+', expected an operator that fits its operands, and no division by zero");
  EXPECT_EQ(mistake("~1.0"), "t:6:15: found '~', expected an operator that fits its operand");
  EXPECT_EQ(mistake("18446744073709551616"),
            "t:6:15: found '18446744073709551616', expected a number that fits into 64 bits");
  EXPECT_EQ(mistake("08"), "t:6:15: found '08', expected a number that fits into 64 bits");
  EXPECT_EQ(mistake("(1"), "t:6:17: found ';', expected ')'");
  EXPECT_EQ(mistake("1 ? 2"), "t:6:20: found ';', expected ':'");
  EXPECT_NE(mistake(std::string(100000, '(') + "1").find("nested less deeply"), std::string::npos);
  EXPECT_NE(mistake(std::string(100000, '-') + "1").find("nested less deeply"), std::string::npos);
}

}  // namespace
}  // namespace heddle::ptx
