#include "modules/source_types.hpp"

#include <gtest/gtest.h>

#include "ptx/parser.hpp"

namespace heddle::tests {
namespace {

using modules::source_type;

TEST(SourceType, WhatAPointerPointsTo) {
  const auto element = [](const char* text) { return source_type(text).element; };
  EXPECT_EQ(element("float*"), ElementType::f32);
  EXPECT_EQ(element("float const*"), ElementType::f32);
  EXPECT_EQ(element("const volatile float * __restrict__"), ElementType::f32);
  EXPECT_EQ(element("double* const"), ElementType::f64);
  EXPECT_EQ(element("unsigned long long*"), ElementType::i64);
  EXPECT_EQ(element("long unsigned int*"), ElementType::i64);
  EXPECT_EQ(element("unsigned*"), ElementType::i32);
  EXPECT_EQ(element("std::uint32_t*"), ElementType::i32);
  EXPECT_EQ(element("short int const*"), ElementType::i16);
  for (const char* other : {"char*", "unsigned char*", "bool*", "void*", "__half*", "float**", "float4*", "T*", "float",
                            "long double*", "unconst float*", "", "*", "real*"})
    EXPECT_EQ(element(other), ElementType::unknown) << other;
  EXPECT_EQ(source_type("const real*", "const float*").element, ElementType::f32);
}

TEST(SourceType, WhatANumberIs) {
  EXPECT_EQ(source_type("int").number, Number::signed_integer);
  EXPECT_EQ(source_type("unsigned int const").number, Number::unsigned_integer);
  EXPECT_EQ(source_type("bool").number, Number::boolean);
  EXPECT_EQ(source_type("double").number, Number::floating);
  EXPECT_EQ(source_type("char").number, Number::unknown);
  EXPECT_EQ(source_type("char").bytes, 1u);
  EXPECT_EQ(source_type("Settings").number, Number::unknown);
  EXPECT_EQ(source_type("float*").number, Number::unknown);
}

TEST(SourceType, IsShownAsProgramsWriteIt) {
  EXPECT_EQ(source_type("float const*").text, "const float*");
  EXPECT_EQ(source_type("float const* const*").text, "const float* const*");
  EXPECT_EQ(source_type("int const volatile*").text, "const volatile int*");
  EXPECT_EQ(source_type("int const").text, "int");
  EXPECT_EQ(source_type("pair<int const*, float>*").text, "pair<int const*, float>*");
}

constexpr const char* module_text = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u32 a, .param .f32 b, .param .u64 c) { ret; }
.visible .entry _Z4blurPKfi(.param .u64 a, .param .u32 b) { ret; }
.visible .entry _Z5otherIfEvPT_(.param .u64 a) { ret; }
)";

std::string types_of(const std::string& notes, std::size_t kernel) {
  const std::string text = module_text + notes;
  const ptx::Module module = ptx::parse(text, "test");
  std::string shown;
  for (const auto& parameter : modules::SourceTypes(module, text).parameters(module.functions[kernel]))
    shown += parameter.type.text + " " + parameter.name + ";";
  return shown;
}

TEST(SourceTypes, NotesGiveTypesAndNames) {
  EXPECT_EQ(types_of("", 0), " ; ; ;");
  EXPECT_EQ(types_of("// heddle: saxpy(n: int, a: float, x: const float*)\n", 0), "int n;float a;const float* x;");
}

TEST(SourceTypes, MangledNamesGiveTypesAndNotesOnlyNames) {
  EXPECT_EQ(types_of("", 1), "const float* ;int ;");
  EXPECT_EQ(types_of("// heddle: blur(image: const Pixel*, n: int)\n", 1), "const float* image;int n;");
  EXPECT_EQ(types_of("// heddle: other(x: T*)\n", 2), "float* x;");
}

TEST(SourceTypes, WhatThePtxContradictsIsLeftOut) {
  EXPECT_EQ(types_of("// heddle: saxpy(n: int, a: float)\n", 0), " ; ; ;");
  EXPECT_EQ(types_of("// heddle: saxpy(n: int, a: double, x: float*)\n", 0), " ; ; ;");
  EXPECT_EQ(types_of("// heddle: saxpy(n: int, a: int, x: float*)\n", 0), " ; ; ;");
  EXPECT_EQ(types_of("// heddle: saxpy(n: int*, a: float, x: float*)\n", 0), " ; ; ;");
  EXPECT_EQ(types_of("// heddle: saxpy(n: Count, a: Real, x: Data)\n", 0), "Count n;Real a;Data x;");
}

}  // namespace
}  // namespace heddle::tests
