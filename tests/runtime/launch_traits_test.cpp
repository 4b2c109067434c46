// What policies are told of a launch.
#include "runtime/launch_traits.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ptx/parser.hpp"

namespace heddle::runtime {
namespace {

std::uint64_t multiple(const std::string& directive, const Dim3& grid) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() " + directive + " { ret; }\n", "k.ptx");
  return blocks_of_whole_clusters(module.functions.at(0), grid);
}

// L13: blocks are numbered row by row, so a cluster of several rows is whole in whole rows only.
TEST(LaunchTraits, RangesOfClustersAreWhole) {
  const Dim3 grid{64, 6, 4};
  EXPECT_EQ(multiple("", grid), 1u);
  EXPECT_EQ(multiple(".explicitcluster .reqnctapercluster 2", grid), 2u);
  EXPECT_EQ(multiple(".explicitcluster .reqnctapercluster 8, 1, 1", grid), 8u);
  EXPECT_EQ(multiple(".explicitcluster .reqnctapercluster 2, 2", grid), 128u);
  EXPECT_EQ(multiple(".explicitcluster .reqnctapercluster 1, 1, 2", grid), 64u * 6 * 2);
}

}  // namespace
}  // namespace heddle::runtime
