#include "ptx/type_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::ptx {
namespace {

// The rows were taken from what ptxas 13.0 accepts for one operand of an instruction of each type.
struct Row {
  Type wanted;
  bool relaxed;
  std::vector<Type> registers;
};

const Type all_registers[] = {Type::b8,    Type::b16, Type::u16, Type::b32, Type::u32, Type::s32,  Type::f32, Type::f16,
                              Type::f16x2, Type::b64, Type::u64, Type::s64, Type::f64, Type::b128, Type::pred};

class TypeRules : public testing::TestWithParam<Row> {};

TEST_P(TypeRules, accept_the_registers_that_ptxas_accepts) {
  const Row& row = GetParam();
  for (Type reg : all_registers) {
    const bool expected = std::find(row.registers.begin(), row.registers.end(), reg) != row.registers.end();
    EXPECT_EQ(register_fits(reg, row.wanted, row.relaxed), expected) << name(reg) << " for " << name(row.wanted);
  }
}

using T = Type;
INSTANTIATE_TEST_SUITE_P(Exact, TypeRules,
                         testing::Values(Row{T::u16, false, {T::b16, T::u16}},
                                         Row{T::u32, false, {T::b32, T::u32, T::s32, T::f16x2}},
                                         Row{T::u64, false, {T::b64, T::u64, T::s64}},
                                         Row{T::f32, false, {T::b32, T::f32}}, Row{T::f64, false, {T::b64, T::f64}},
                                         Row{T::f16, false, {T::b16, T::f16}}, Row{T::f16x2, false, {T::b32, T::f16x2}},
                                         Row{T::bf16, false, {T::b16}}, Row{T::u16x2, false, {T::b32, T::f16x2}},
                                         Row{T::b16, false, {T::b16, T::u16, T::f16}},
                                         Row{T::b32, false, {T::b32, T::u32, T::s32, T::f32, T::f16x2}},
                                         Row{T::b64, false, {T::b64, T::u64, T::s64, T::f64}},
                                         Row{T::pred, false, {T::pred}}, Row{T::f32x2, false, {T::b64}}));
INSTANTIATE_TEST_SUITE_P(
    Relaxed, TypeRules,
    testing::Values(
        Row{T::u8, true, {T::b8, T::b16, T::u16, T::b32, T::u32, T::s32, T::f16x2, T::b64, T::u64, T::s64, T::b128}},
        Row{T::u16, true, {T::b16, T::u16, T::b32, T::u32, T::s32, T::f16x2, T::b64, T::u64, T::s64, T::b128}},
        Row{T::s32, true, {T::b32, T::u32, T::s32, T::f16x2, T::b64, T::u64, T::s64, T::b128}},
        Row{T::b32, true, {T::b32, T::u32, T::s32, T::f32, T::f16x2, T::b64, T::u64, T::s64, T::f64, T::b128}},
        Row{T::f32, true, {T::b32, T::f32, T::b64, T::b128}}, Row{T::f64, true, {T::b64, T::f64, T::b128}},
        Row{T::b64, true, {T::b64, T::u64, T::s64, T::f64, T::b128}}));

TEST(ConstantRules, integers_and_reals_keep_apart) {
  EXPECT_TRUE(constant_fits(Operand::make_integer(5), T::u16));
  EXPECT_TRUE(constant_fits(Operand::make_integer(5), T::b64));
  EXPECT_TRUE(constant_fits(Operand::make_integer(1), T::pred));
  EXPECT_FALSE(constant_fits(Operand::make_integer(5), T::f32));
  EXPECT_FALSE(constant_fits(Operand::make_integer(5), T::f16));
  EXPECT_TRUE(constant_fits(Operand::make_f32(1), T::f32));
  EXPECT_TRUE(constant_fits(Operand::make_f64(1), T::f32));
  EXPECT_TRUE(constant_fits(Operand::make_f32(1), T::f64));
  EXPECT_TRUE(constant_fits(Operand::make_f32(1), T::b32));
  EXPECT_FALSE(constant_fits(Operand::make_f64(1), T::b32));
  EXPECT_TRUE(constant_fits(Operand::make_f64(1), T::b64));
  EXPECT_FALSE(constant_fits(Operand::make_f32(1), T::u32));
  EXPECT_FALSE(constant_fits(Operand::make_f32(1), T::f16));
}

}  // namespace
}  // namespace heddle::ptx
