// Deduction guides are for host and device.
#include "compile/deduction_guides.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace heddle::compile {
namespace {

TEST(DeductionGuides, AreForBoth) {
  const std::pair<const char*, const char*> cases[] = {
      {"template <class... F> Ov(F...) -> Ov<F...>;",
       "template <class... F> __host__ __device__ Ov(F...) -> Ov<F...>;"},
      {"Pair(const char*, int (*)(int))->Pair<int>;",
       "__host__ __device__ Pair(const char*, int (*)(int))->Pair<int>;"},
      {"struct A { template <class T> explicit B(T)\n-> B<T, C<D>>; };",
       "struct A { template <class T> explicit __host__ __device__ B(T)\n-> B<T, C<D>>; };"},
      {"C(U) -> C<std::conditional_t<(sizeof(U) > 4), double, float>>;",
       "__host__ __device__ C(U) -> C<std::conditional_t<(sizeof(U) > 4), double, float>>;"},
      {"B(U) -> B<decltype(U{} + 1.0)>;", "__host__ __device__ B(U) -> B<decltype(U{} + 1.0)>;"},
      {"struct S {}; S(int) -> S<int>; S(long) -> S<long>;",
       "struct S {}; __host__ __device__ S(int) -> S<int>; __host__ __device__ S(long) -> S<long>;"},
      {"template <class T> requires(sizeof(T) > 4) W(T) -> W<T>;",
       "template <class T> requires(sizeof(T) > 4) __host__ __device__ W(T) -> W<T>;"},
  };
  for (const auto& [source, changed] : cases) EXPECT_EQ(with_guides_for_both(source), changed) << source;
}

TEST(DeductionGuides, OthersStayAsTheyAre) {
  for (const char* const source :
       {"", "auto f(int) -> S<int>;", "auto S::f(int) -> f<int>;", "x = get(p)->get<int>();", "get(p)->get<int>();",
        "return f(x)->f<int>;", "p->f(x)->f<int>;", "// S(int) -> S<int>;", "[](int) -> S<int> { return {}; };",
        "S(int) -> S<int", "S(int -> S<int>;", "S(int) -> T<int>;"})
    EXPECT_EQ(with_guides_for_both(source), std::nullopt) << source;
}

}  // namespace
}  // namespace heddle::compile
