// Macros that stand for a #pragma.
#include "compile/pragma_macros.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace heddle::compile {
namespace {

TEST(PragmaMacros, GetTheOperator) {
  const std::pair<const char*, const char*> cases[] = {
      {"#define UNROLL #pragma unroll\nint x;", "#define UNROLL _Pragma(\"unroll\")\nint x;"},
      {"# define U  # pragma  unroll   4 // four\n", "# define U  _Pragma(\"unroll 4\") // four\n"},
      {"#define P #pragma omp parallel for private(a, b)", "#define P _Pragma(\"omp parallel for private(a, b)\")"},
      {"#define M #pragma message(\"a \\n\")\n", "#define M _Pragma(\"message(\\\"a \\\\n\\\")\")\n"},
      {"#define U \\\n  #pragma \\\n  unroll\nint x;", "#define U \\\n  _Pragma(\"unroll\")\\\n\nint x;"},
      {"#ifdef A\n#define U #pragma unroll\n#else\n#define U #pragma unroll 1\n#endif\n",
       "#ifdef A\n#define U _Pragma(\"unroll\")\n#else\n#define U _Pragma(\"unroll 1\")\n#endif\n"},
      {"#define E #pragma\nint x;", "#define E _Pragma(\"\")\nint x;"},
  };
  for (const auto& [source, changed] : cases) EXPECT_EQ(with_pragma_operators(source), changed) << source;
}

TEST(PragmaMacros, OthersStayAsTheyAre) {
  for (const char* const source :
       {"", "#pragma unroll\n#define N 4\n", "#define U _Pragma(\"unroll\")\n", "#define U(n) #n\n#pragma once\n",
        "// #define U #pragma unroll\n", "x # define A # pragma b", "#define A\n#pragma unroll\n",
        "#define U(pragma) #pragma\n", "#define", "#define A #"})
    EXPECT_EQ(with_pragma_operators(source), std::nullopt) << source;
}

}  // namespace
}  // namespace heddle::compile
