#include "random/structures.hpp"

#include <gtest/gtest.h>

#include <set>

namespace heddle::test::random_kernel {
namespace {

constexpr std::uint64_t seeds = 400;
constexpr unsigned others = 5;

TEST(RandomStructures, HaveEveryAlignmentAndPlace) {
  std::set<unsigned> alignments, places;
  bool has_array = false, has_empty = false, has_none = false;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const std::vector<Structure> all = structures_of(seed, others);
    has_none = has_none || all.empty();
    for (const Structure& structure : all) {
      alignments.insert(structure.alignment);
      places.insert(structure.behind);
      EXPECT_EQ(structure.bytes % structure.alignment, 0u);
      has_array = has_array || structure.bytes > structure.alignment;
      has_empty = has_empty || structure.bytes == 1;
    }
  }
  EXPECT_EQ(alignments, (std::set<unsigned>{1, 2, 4, 8, 16, 32, 64, 128}));
  EXPECT_EQ(places, (std::set<unsigned>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(has_array && has_empty && has_none);
}

TEST(RandomStructures, StandWhereTheyBelong) {
  const std::vector<Structure> structures = {{"a", 8, 8, 2}, {"b", 1, 1, 0}, {"c", 64, 128, 2}};
  const auto name = [](const Structure& structure) { return structure.name; };
  EXPECT_EQ(with_structures({"x", "y"}, structures, name), (std::vector<std::string>{"b", "x", "y", "a", "c"}));
  EXPECT_EQ(structures[2].parameter(), ".param .align 64 .b8 c[128]");
}

}  // namespace
}  // namespace heddle::test::random_kernel
