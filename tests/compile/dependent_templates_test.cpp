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
      {"typename ::n::A<(1 > 2)>::b<typename C<D>::e<F>>::g<H> x;",
       "typename ::n::A<(1 > 2)>::template b<typename C<D>::template e<F>>::template g<H> x;"},
      {"template <class A> f() { typename A::b<int> x; }", "template <class A> f() { typename A::template b<int> x; }"},
      {"template <int n, typename... A> typename A::b<n> f(A...);",
       "template <int n, typename... A> typename A::template b<n> f(A...);"},
      {"typename A<T>::type::b<C>::D y;", "typename A<T>::type::template b<C>::D y;"},
      {"typename Y<T, sizeof(T) >= 4>::in<int> x;", "typename Y<T, sizeof(T) >= 4>::template in<int> x;"},
      {"typename Y<decltype(T{})>::in<decltype(p->q)> x;", "typename Y<decltype(T{})>::template in<decltype(p->q)> x;"},
      {"f(typename A<T>::b<int>{}, typename A<T>::template b<int>{});",
       "f(typename A<T>::template b<int>{}, typename A<T>::template b<int>{});"},
  };
  for (const auto& [source, changed] : cases) EXPECT_EQ(with_template_keywords(source), changed) << source;
}

TEST(DependentTemplates, OthersStayAsTheyAre) {
  for (const char* const source :
       {"", "typename A<T>::type x;", "typename A<T>::template b<int> x;",
        "template <typename T> void f(A<T>::b<int>);", "typename std::vector<A<T>>::iterator i;",
        "#define rebind template in\ntypename A<T>::rebind<int> x;", "typename A<T>::REBIND<int> x;",
        "typename n::A<T> x;", "typename T", "typename A<", "typename A<T>::", "typename A<T>::b<",
        "// typename A<T>::b<int>", "typename A<T>::b < ;"})
    EXPECT_EQ(with_template_keywords(source), std::nullopt) << source;
}

}  // namespace
}  // namespace heddle::compile
