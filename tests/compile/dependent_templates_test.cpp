// Member templates behind typename.
#include "compile/dependent_templates.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace heddle::compile {
namespace {

TEST(DependentTemplates, GetTheirKeyword) {
  const std::pair<const char*, const char*> cases[] = {
      {"using B = typename A<T>::rebind<int>;", "using B = typename A<T>::template rebind<int>;"},
      {"typename std::allocator_traits<A>::rebind_alloc<B<C>>::pointer p;",
       "typename std::allocator_traits<A>::template rebind_alloc<B<C>>::pointer p;"},
      {"typename ::n::A<(1 > 2)>::B<typename C<D>::E<F>>::G<H> x;",
       "typename ::n::A<(1 > 2)>::template B<typename C<D>::template E<F>>::template G<H> x;"},
      {"template <class A> f() { typename A::B<int> x; }", "template <class A> f() { typename A::template B<int> x; }"},
      {"template <int n, typename... A> typename A::B<n> f(A...);",
       "template <int n, typename... A> typename A::template B<n> f(A...);"},
      {"typename A<T>::type::B<C>::D y;", "typename A<T>::type::template B<C>::D y;"},
      {"f(typename A<T>::B<int>{}, typename A<T>::template B<int>{});",
       "f(typename A<T>::template B<int>{}, typename A<T>::template B<int>{});"},
  };
  for (const auto& [source, changed] : cases) EXPECT_EQ(with_template_keywords(source), changed) << source;
}

TEST(DependentTemplates, OthersStayAsTheyAre) {
  for (const char* const source :
       {"", "typename A<T>::type x;", "typename A<T>::template B<int> x;",
        "template <typename T> void f(A<T>::B<int>);", "typename std::vector<A<T>>::iterator i;", "typename n::A<T> x;",
        "typename T", "typename A<", "typename A<T>::", "typename A<T>::B<", "// typename A<T>::B<int>",
        "typename A<T>::B < ;"})
    EXPECT_EQ(with_template_keywords(source), std::nullopt) << source;
}

}  // namespace
}  // namespace heddle::compile
