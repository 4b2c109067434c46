#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::base {
namespace {

const std::vector<std::string> commands{"compile", "launch", "inspect", "devices", "doctor"};

TEST(Nearest, CountsEditsAndSwappedNeighbours) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("lauhcn", "launch"), 2u);
  EXPECT_EQ(edit_distance("gird", "grid"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("lanuch", commands), "launch");
  EXPECT_EQ(nearest("DEVICE", commands), "devices");
  EXPECT_EQ(nearest("launch", commands), "launch");
}

TEST(Nearest, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(nearest("frobnicate", commands), "");
  EXPECT_EQ(nearest("x", commands), "");
  EXPECT_EQ(nearest("", commands), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(did_you_mean("frobnicate", commands), "");
  EXPECT_EQ(did_you_mean("docter", commands), "; did you mean 'doctor'?");
}

}  // namespace
}  // namespace heddle::base
