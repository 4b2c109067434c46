// The fixed names of PTX, and the properties of types and variables.
#include <gtest/gtest.h>

#include "ptx/directive.hpp"
#include "ptx/ir.hpp"
#include "ptx/keywords.hpp"
#include "ptx/special_register.hpp"

namespace heddle::ptx {
namespace {

TEST(Names, EveryOpcodeIsFound) {
  for (unsigned i = 0; i < static_cast<unsigned>(Opcode::count_); ++i)
    EXPECT_EQ(opcode_from_name(name(static_cast<Opcode>(i))), static_cast<Opcode>(i));
  EXPECT_FALSE(opcode_from_name("madd"));
  EXPECT_TRUE(name(Opcode::count_).empty());
}

TEST(Names, EverySuffixIsFound) {
  for (unsigned i = 1; i < static_cast<unsigned>(Modifier::first_type_); ++i)
    EXPECT_EQ(modifier_from_name(name(static_cast<Modifier>(i))), static_cast<Modifier>(i))
        << name(static_cast<Modifier>(i));
  EXPECT_EQ(modifier_from_name("f32"), modifier_of(Type::f32));
  EXPECT_EQ(name(modifier_of(Type::bf16x2)), "bf16x2");
  EXPECT_FALSE(modifier_from_name("f31"));
  EXPECT_FALSE(modifier_from_name(""));
}

TEST(Names, EverySpecialRegisterIsFound) {
  for (unsigned i = 1; i < static_cast<unsigned>(SpecialRegister::count_); ++i)
    EXPECT_EQ(special_from_name(name(static_cast<SpecialRegister>(i))), static_cast<SpecialRegister>(i));
  EXPECT_EQ(special_vector("%ctaid"), SpecialRegister::ctaid_x);
  EXPECT_FALSE(special_vector("%laneid"));
  EXPECT_TRUE(is_reserved("%laneid"));
  EXPECT_TRUE(is_reserved("%ntid"));
  EXPECT_FALSE(is_reserved("%r1"));
  EXPECT_EQ(type_of(SpecialRegister::gridid), Type::u64);
}

TEST(Names, EveryTypeIsFound) {
  for (unsigned i = 1; i < static_cast<unsigned>(Type::count_); ++i)
    EXPECT_EQ(type_from_name(name(static_cast<Type>(i))), static_cast<Type>(i));
  EXPECT_FALSE(type_from_name(""));
  EXPECT_EQ(directive_from_name("extern"), Directive::extern_);
  EXPECT_EQ(directive_from_name("explicitcluster"), Directive::explicitcluster);
  EXPECT_EQ(directive_from_name("nonsense"), Directive::none);
}

TEST(Types, SizesAndKinds) {
  EXPECT_EQ(bit_width(Type::pred), 1u);
  EXPECT_EQ(byte_size(Type::pred), 0u);
  EXPECT_EQ(byte_size(Type::b128), 16u);
  EXPECT_EQ(byte_size(Type::e2m1), 1u);
  EXPECT_EQ(element(Type::f16x2), Type::f16);
  EXPECT_EQ(element_count(Type::u8x4), 4u);
  EXPECT_EQ(element(Type::f32), Type::f32);
  EXPECT_TRUE(is_signed(Type::s16x2));
  EXPECT_TRUE(is_float(Type::tf32));
  EXPECT_EQ(kind(Type::surfref), TypeKind::opaque);
  for (unsigned i = 1; i < static_cast<unsigned>(Type::count_); ++i) {
    const Type type = static_cast<Type>(i);
    EXPECT_GE(bit_width(type), element_count(type) * bit_width(element(type))) << name(type);
  }
}

TEST(Variable, SizeAndAlignment) {
  Variable v;
  v.type = Type::f32;
  v.vector = 4;
  EXPECT_EQ(v.size(), 16u);
  EXPECT_EQ(v.alignment(), 16u);
  v.dims = {3, 2};
  EXPECT_EQ(v.size(), 96u);
  v.align = 4;
  EXPECT_EQ(v.alignment(), 4u);
  v.dims = {0};
  EXPECT_TRUE(v.unsized());
  EXPECT_EQ(v.size(), 0u);
}

}  // namespace
}  // namespace heddle::ptx
