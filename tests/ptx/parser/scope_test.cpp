#include "ptx/scope.hpp"

#include <gtest/gtest.h>

namespace heddle::ptx {
namespace {

TEST(NameTable, FindsAmongMany) {
  NameTable table;
  std::vector<std::string> names;
  for (unsigned i = 0; i < 5000; ++i) names.push_back("%r" + std::to_string(i));
  for (unsigned i = 0; i < names.size(); ++i) table.insert(names[i], hash_text(names[i])) = {NameKind::reg, 1, i};
  for (unsigned i = 0; i < names.size(); ++i) {
    const Binding* found = table.find(names[i], hash_text(names[i]));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->index, i);
  }
  EXPECT_EQ(table.find("%r5000", hash_text("%r5000")), nullptr);
  table.clear();
  EXPECT_EQ(table.find("%r1", hash_text("%r1")), nullptr);
}

TEST(ScopedNames, InnerHidesOuterUntilClosed) {
  ScopedNames names;
  const auto bind = [&](std::string_view name, std::uint32_t index) {
    names.bind(name, hash_text(name), NameKind::reg, index);
  };
  const auto index = [&](std::string_view name) {
    const Binding* found = names.find(name, hash_text(name));
    return found == nullptr ? -1 : static_cast<int>(found->index);
  };
  names.open();
  bind("a", 1);
  names.open();
  bind("a", 2);
  bind("b", 3);
  names.bind_at(1, "c", hash_text("c"), NameKind::reg, 4);
  EXPECT_EQ(index("a"), 2);
  EXPECT_EQ(index("b"), 3);
  names.close();
  EXPECT_EQ(index("a"), 1);
  EXPECT_EQ(index("b"), -1);
  EXPECT_EQ(index("c"), 4);
  names.clear();
  names.open();
  EXPECT_EQ(index("a"), -1);
}

TEST(UniqueNames, NumbersRepeatedNames) {
  UniqueNames unique;
  const auto take = [&](std::string_view name) { return std::string(unique.take(name, hash_text(name))); };
  EXPECT_EQ(take("x"), "x");
  EXPECT_EQ(take("x_2"), "x_2");
  EXPECT_EQ(take("x"), "x_1");
  EXPECT_EQ(take("x"), "x_3");
  EXPECT_EQ(take("x_1"), "x_1_1");
}

}  // namespace
}  // namespace heddle::ptx
