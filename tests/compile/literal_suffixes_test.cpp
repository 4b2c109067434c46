// Macros that touch a literal.
#include "compile/literal_suffixes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace heddle::compile {
namespace {

TEST(LiteralSuffixes, MacrosGetABlank) {
  const std::pair<const char*, const char*> cases[] = {
      {"extern \"C\"__global__ void k();", "extern \"C\" __global__ void k();"},
      {"printf(\"%\"__FORMAT\"d\", 1);", "printf(\"%\" __FORMAT\"d\", 1);"},
      {"#define D extern \"C\"__device__\nR\"x(\"__a)x\"__FILE__",
       "#define D extern \"C\" __device__\nR\"x(\"__a)x\" __FILE__"},
      {"int operator\"\"__a(const char*); \"x\"__a \"y\"__b", "int operator\"\"__a(const char*); \"x\"__a \"y\" __b"},
  };
  for (const auto& [source, changed] : cases) EXPECT_EQ(with_blanks_behind_literals(source), changed) << source;
}

TEST(LiteralSuffixes, OthersStayAsTheyAre) {
  for (const char* const source :
       {"", "extern \"C\" __global__ void k();", "\"x\"_s", "\"x\"s", "'x'__a", "f(\"__a\")", "f(\"a\"\"__b\")",
        "// \"x\"__a\n", "T operator\"\" __a(const char*); \"x\"__a", "\"__a", "\"x\""})
    EXPECT_EQ(with_blanks_behind_literals(source), std::nullopt) << source;
}

}  // namespace
}  // namespace heddle::compile
