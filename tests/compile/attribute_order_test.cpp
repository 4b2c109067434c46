// Attributes behind keywords.
#include "compile/attribute_order.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace heddle::compile {
namespace {

TEST(AttributeOrder, TheyComeFirst) {
  const std::pair<const char*, const char*> cases[] = {
      {"__shared__ alignas(16) int s[32];", "alignas(16) __shared__ int s[32];"},
      {"extern __shared__ alignas(f(1, 2)) char s[];", "alignas(f(1, 2)) extern __shared__ char s[];"},
      {"{ __shared__  [[maybe_unused]] int s; }", "{ [[maybe_unused]]  __shared__ int s; }"},
      {"struct S { __host__ __device__\n[[nodiscard]] alignas(8) int f(); };",
       "struct S { [[nodiscard]] alignas(8)\n__host__ __device__ int f(); };"},
      {"#define S __shared__ alignas(T)\n", "#define S alignas(T) __shared__\n"},
  };
  for (const auto& [source, moved] : cases) EXPECT_EQ(with_attributes_first(source), moved) << source;
}

TEST(AttributeOrder, OthersStayAsTheyAre) {
  for (const char* const source :
       {"", "alignas(16) __shared__ int s[32];", "static alignas(16) int x; __device__ int y;",
        "__shared__ int s[a[b[0]]];", "auto f = [=] __device__ [[nodiscard]] (int i) { return i; };",
        "// __shared__ alignas(16) int s;", "__shared__ alignas", "__shared__ alignas(", "__shared__ [[x",
        "__shared__ int alignas(8) x;"})
    EXPECT_EQ(with_attributes_first(source), std::nullopt) << source;
}

}  // namespace
}  // namespace heddle::compile
