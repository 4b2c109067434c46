// Lists in braces among a launch's arguments.
#include "compile/launch_arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace heddle::compile {
namespace {

TEST(LaunchArguments, ListsGetTheirType) {
  const std::pair<const char*, const char*> cases[] = {
      {"k<<<g, {x, y, 1}, 0, s>>>(a);", "k<<<g, dim3{x, y, 1}, 0, s>>>(a);"},
      {"k<<<{2, 3}, {4}>>>();", "k<<<dim3{2, 3}, dim3{4}>>>();"},
      {"k<<<{}, {{1, 2}, 3}, {}, {s}>>>();", "k<<<dim3{}, dim3{{1, 2}, 3}, size_t{}, cudaStream_t{s}>>>();"},
      {"k<<<\n  {1},\n  {f(1, 2), g[{3}]}>>>({1, 2});", "k<<<\n  dim3{1},\n  dim3{f(1, 2), g[{3}]}>>>({1, 2});"},
      {"k<A<B<int>>><<<f<int, 2>(n), {n}>>>();", "k<A<B<int>>><<<f<int, 2>(n), dim3{n}>>>();"},
      {"k<<<dim3(1, 2), {n}>>>();", "k<<<dim3(1, 2), dim3{n}>>>();"},
      {"k<<<a < b ? 1 : 2, {n}>>>();", "k<<<a < b ? 1 : 2, dim3{n}>>>();"},
      {"#define RUN(k, ...) k<<<1, {2, \\\n 3}>>>(__VA_ARGS__)\n",
       "#define RUN(k, ...) k<<<1, dim3{2, \\\n 3}>>>(__VA_ARGS__)\n"},
      {"#define B {16, 16}\n#define N 3\nk<<<N, B>>>(); k<<<B, 1>>>(B);",
       "#define B {16, 16}\n#define N 3\nk<<<N, dim3 B>>>(); k<<<dim3 B, 1>>>(B);"},
      {"f(k<<<1, {2}>>>(), j<<<{3}, 4>>>());", "f(k<<<1, dim3{2}>>>(), j<<<dim3{3}, 4>>>());"},
  };
  for (const auto& [source, named] : cases) EXPECT_EQ(with_named_lists(source), named) << source;
}

TEST(LaunchArguments, OthersStayAsTheyAre) {
  for (const char* const source :
       {"", "k<<<1, 2>>>({3});", "k<<<dim3{1}, f({2})>>>();", "k<<<1, 2, 3, 4>>>(), {5};", "f({1}, {2});",
        "// k<<<1, {2}>>>();\n", "const char* t = \"k<<<1, {2}>>>()\";", "k<<<1; f(2, {3});", "k<<<", "k<<<1, ", "<<<(",
        "k<<<1)>>>, {2}", "k<<<f<", "#define B { 1 }\nB<<<1, 2>>>(B)", "# define\nk<<<1, 2>>>();"})
    EXPECT_EQ(with_named_lists(source), std::nullopt) << source;
}

}  // namespace
}  // namespace heddle::compile
