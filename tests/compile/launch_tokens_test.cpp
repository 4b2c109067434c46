// Launches whose signs have blanks between them.
#include "compile/launch_tokens.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace heddle::compile {
namespace {

TEST(LaunchTokens, AreJoinedWithoutMovingWhatIsBehindThem) {
  const std::pair<const char*, const char*> cases[] = {
      {"k << <1, 2 >> > (a);", "k  <<<1, 2 >>>  (a);"},
      {"k<< <1, 2>> >(a);", "k <<<1, 2>>> (a);"},
      {"k < <<1, 2> >>(a);", "k  <<<1, 2>>> (a);"},
      {"k<<<1, 2>> >(a);", "k<<<1, 2>>> (a);"},
      {"k << <1, 2>>>(a);", "k  <<<1, 2>>>(a);"},
      {"k<A<B<int> >, (1 >> 2)> << <dim3(f(1, 2), (a > b)), 2>> > ();",
       "k<A<B<int> >, (1 >> 2)>  <<<dim3(f(1, 2), (a > b)), 2>>>  ();"},
      {"k << <1,\n     2 >> > (a, '>', \"<< <\"); // k << <1, 2>> >(a)\n j << <3, 4 >> > ();",
       "k  <<<1,\n     2 >>>  (a, '>', \"<< <\"); // k << <1, 2>> >(a)\n j  <<<3, 4 >>>  ();"},
      {"#define GRID(g, b) << <g, b >> >\nint x;", "#define GRID(g, b)  <<<g, b >>> \nint x;"},
      {"#define GRID(g, b) \\\r\n  << <g, b >> >", "#define GRID(g, b) \\\r\n   <<<g, b >>> "},
      {"k << <[] { return 1; }(), c<W<W<int> > >(32) >> > (x);",
       "k  <<<[] { return 1; }(), c<W<W<int> > >(32) >>>  (x);"},
      {"#define RUN(k, ...) k << <1, 2 >> > (__VA_ARGS__)\n", "#define RUN(k, ...) k  <<<1, 2 >>>  (__VA_ARGS__)\n"},
  };
  for (const auto& [source, joined] : cases) EXPECT_EQ(with_joined_launches(source), joined) << source;
}

TEST(LaunchTokens, OthersStayAsTheyAre) {
  for (const char* const source :
       {"", "k<<<1, 2>>>(a);", "cout << a << b;", "std::vector<std::vector<A<int>> > v; v << 1;",
        "operator<< <char>(out, x);", "std::operator<< <T, A<B<int>> >(out, x);", "a < (b << 1); c << (d < e);",
        "// k << <1, 2>> >(a)\n", "const char* t = \"k << <1, 2>> >(a)\";", "x = R\"(k << <1, 2>> >(a))\";", "<<",
        "< < ", "a < < < b", "k<<<1, f<A<B<int>>>(1)>>>();"})
    EXPECT_EQ(with_joined_launches(source), std::nullopt) << source;
}

TEST(LaunchTokens, ThatDoNotEndHaveTheirBeginningJoined) {
  EXPECT_EQ(with_joined_launches("k << <1, 2; j >> > (a);"), "k  <<<1, 2; j >> > (a);");
  EXPECT_EQ(with_joined_launches("f(k << <1) >> > (a)"), "f(k  <<<1) >> > (a)");
  EXPECT_EQ(with_joined_launches("k << <"), "k  <<<");
}

}  // namespace
}  // namespace heddle::compile
