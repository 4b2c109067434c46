#include "trace/name.hpp"

#include <gtest/gtest.h>

namespace heddle::trace {
namespace {

TEST(ShortName, IsThatOfTheSourceWithoutParameters) {
  EXPECT_EQ(short_name("saxpy"), "saxpy");
  EXPECT_EQ(short_name("_Z4blurPfi"), "blur");
  EXPECT_EQ(short_name("_Z4blurIfEvPT_"), "blur<float>");
  EXPECT_EQ(short_name("_ZN3img4blurILi3EN2ab1cEEEvPT0_"), "img::blur<3, ab::c>");
  EXPECT_EQ(short_name("_ZN12_GLOBAL__N_14blurEPf"), "(anonymous namespace)::blur");
  EXPECT_EQ(short_name("_Z4blurPFviE"), "blur");
  EXPECT_EQ(short_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(short_name("i"), "i");
  EXPECT_EQ(short_name(""), "");
}

}  // namespace
}  // namespace heddle::trace
