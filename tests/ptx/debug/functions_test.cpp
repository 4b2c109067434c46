#include "ptx/debug/functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "heddle/error.hpp"
#include "ptx/debug/sections.hpp"
#include "ptx/parser.hpp"
#include "support/places.hpp"

namespace heddle::tests {
namespace {

// "k(const float* x, int n)", with what typedefs stand for behind.
std::string shown(const ptx::DebugFunction& function) {
  std::string text = function.name + "(";
  for (const ptx::DebugParameter& parameter : function.parameters) {
    text += (text.ends_with('(') ? "" : ", ") + parameter.type + " " + parameter.name;
    if (parameter.actual != parameter.type) text += " = " + parameter.actual;
  }
  return text + ")";
}

std::vector<std::string> functions_of(const std::string& sections) {
  std::vector<std::string> made;
  for (const ptx::DebugFunction& function : ptx::read_debug_functions(sections)) made.push_back(shown(function));
  return made;
}

std::string sections_of(const std::string& file) {
  std::ifstream in(test_data() / "data/ptx" / file);
  std::stringstream text;
  text << in.rdbuf();
  return ptx::parse(text.str(), file).sections;
}

TEST(DebugSections, NumbersLabelsAndReferencesBecomeBytes) {
  const ptx::SectionBytes made = ptx::read_sections(
      ".section .debug_str {\n.b8 97,0 // text\n$L__second:\n.b8 98\n.b8 0\n}\n"
      ".section .debug_info {\n.b16 258\n.b32 .debug_str+1\n.b32 $L__second\n.b64 $L__code\n.b8 -1\n"
      ".b32 $L__second-1\n}\n.section .debug_info { .b8 0x7F }");
  EXPECT_EQ(made.at(".debug_str"), std::string("a\0b\0", 4));
  EXPECT_EQ(made.at(".debug_info"), std::string("\2\1"
                                                "\1\0\0\0"
                                                "\2\0\0\0"
                                                "\0\0\0\0\0\0\0\0"
                                                "\xff"
                                                "\1\0\0\0"
                                                "\x7f",
                                                24));
}

TEST(DebugSections, WhatIsNoDataIsRefusedWithItsPlace) {
  for (const char* text : {".section", ".section .a { .b9 1 }", ".section .a { .b8 }", ".section .a { .b8 1, }", "x",
                           ".section .a { .b8 99999999999999999999 }", ".section .a {"})
    EXPECT_THROW(ptx::read_sections(text), Error) << text;
}

TEST(DebugFunctions, ThoseOfNvcc) {
  EXPECT_THAT(functions_of(sections_of("nvcc/memory.sm75.debug.ptx")),
              testing::IsSupersetOf<std::string>(
                  {"transpose(float* out, const float* in, int n)", "dynamic(int* out)",
                   "vectors(float4* a, const double2* b, uchar4* c, const short2* d)", "locals(int* out, int n)",
                   "atomics(int* i, unsigned int* u, unsigned long long* l, float* f, double* d, volatile int* v)"}));
}

TEST(DebugFunctions, ThoseOfClang) {
  EXPECT_THAT(functions_of(sections_of("clang/portable.sm80.debug.ptx")),
              testing::IsSupersetOf<std::string>(
                  {"saxpy(int n, float a, const float* x, float* y)", "blur(float* out, const float* in, int w, int h)",
                   "items(Item* list,  operation)", "shuffles(int* x, unsigned long long* sums)",
                   "wide(float4v* v = , _Float16* h, unsigned char* c, __int128* big, double* d)"}));
}

// Damage anywhere gives fewer functions, and nothing worse.
TEST(DebugFunctions, DamagedOnesAreReadToTheDamage) {
  const std::string whole = sections_of("nvcc/memory.sm75.debug.ptx");
  for (std::size_t end = 0; end < whole.size(); end += 97) functions_of(whole.substr(0, end) + "\n}\n");
  for (std::size_t at = whole.find(".b8"); at < whole.size(); at += 131) {
    std::string damaged = whole;
    if (damaged[at] >= '0' && damaged[at] <= '8') ++damaged[at];
    functions_of(damaged);
  }
}

}  // namespace
}  // namespace heddle::tests
