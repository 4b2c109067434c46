// Texts of any kind, put together from what the changes look at.
#include "compile/dialect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>

namespace heddle::compile {
namespace {

constexpr std::array<std::string_view, 44> pieces{
    "<",     "<<",      ">",      ">>", "<<<",  ">>>",    "(",          ")",  "[",      "[[",          "]",
    "]]",    "{",       "}",      ";",  ":",    "::",     "%",          "%%", "%0",     "\"",          "'",
    "R\"x(", ")x\"",    "\\",     "\n", "\\\n", "\\\r\n", "//",         "/*", "*/",     "#",           "#define",
    "asm",   "alignas", "laneid", "k",  " ",    "\t",     "__shared__", ",",  "pragma", "#define k {", "\"C\"__a"};

std::string text(std::mt19937& random, unsigned length) {
  std::string made;
  for (unsigned i = 0; i < length; ++i) {
    made += pieces[random() % pieces.size()];
    if (random() % 4 == 0) made += ' ';
  }
  return made;
}

TEST(Dialect, ChangesKeepLinesAndEnd) {
  std::mt19937 random(1);
  unsigned changed = 0;
  for (int round = 0; round < 200'000; ++round) {
    const std::string source = text(random, 1 + random() % 60);
    const auto made = in_clangs_dialect(source);
    if (!made) continue;
    ++changed;
    EXPECT_EQ(std::ranges::count(*made, '\n'), std::ranges::count(source, '\n')) << source;
    // Nothing is lost but comments and blanks of a #pragma.
    const auto count = [&](char c) { return static_cast<std::size_t>(std::ranges::count(source, c)); };
    if (source.find("pragma") != source.npos) continue;
    EXPECT_GE(made->size(), source.size()) << source;
    // Signs of asm are doubled, literals get a blank, a launch has four types of up to 13 signs.
    EXPECT_LE(made->size() - source.size(), count('%') + count('"') + count('<') / 3 * 4 * 13) << source;
  }
  EXPECT_GT(changed, 1000u);
}

// A launch, an asm and an attribute in one source: one change does not undo another.
TEST(Dialect, AllChangesOfASourceAreMade) {
  EXPECT_EQ(in_clangs_dialect("__shared__ alignas(8) int s; asm(\"mov.u32 %0, %smid;\" : \"=r\"(x)); "
                              "k << <1, {2} >> > (x);\n#define U #pragma unroll\nextern \"C\"__device__ int y;"),
            "alignas(8) __shared__ int s; asm(\"mov.u32 %0, %%smid;\" : \"=r\"(x)); "
            "k  <<<1, dim3{2} >>>  (x);\n#define U _Pragma(\"unroll\")\nextern \"C\" __device__ int y;");
}

}  // namespace
}  // namespace heddle::compile
