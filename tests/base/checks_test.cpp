#include "heddle/checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/error.hpp"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(std::string_view names) {
  try {
    Checks::parse(names);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return {};
}

TEST(Checks, NamesGiveKinds) {
  EXPECT_EQ(Checks::parse(""), Checks(true));
  EXPECT_EQ(Checks::parse("memory"), Checks(true));
  const Checks two = Checks::parse("race,init");
  EXPECT_TRUE(two.race && two.init);
  EXPECT_FALSE(two.memory || two.sync || two.api || two.leak);
  EXPECT_EQ(two.names(), "race,init");
  EXPECT_EQ(Checks::parse("all"), Checks::all());
  EXPECT_EQ(Checks::parse(Checks::all().names()), Checks::all());
  EXPECT_EQ(Checks().names(), "");
  EXPECT_FALSE(Checks());
  EXPECT_FALSE(Checks::parse("leak").kernels());
  EXPECT_TRUE(Checks::parse("sync").kernels());
}

TEST(Checks, OtherNamesAreRefusedWithTheNearest) {
  EXPECT_THAT(refusal("rase"), AllOf(HasSubstr("'rase' is no kind of check"), HasSubstr("did you mean 'race'?")));
  EXPECT_THAT(refusal("memcheck"), HasSubstr("did you mean 'memory'?"));
  EXPECT_THAT(refusal("initcheck"), HasSubstr("did you mean 'init'?"));
  EXPECT_THAT(refusal("memory,"), HasSubstr("there are all, memory, race, init, sync, api, leak"));
  EXPECT_THAT(refusal("elephant"), testing::Not(HasSubstr("did you mean")));
}

}  // namespace
}  // namespace heddle
