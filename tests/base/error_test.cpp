#include "heddle/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/fail.hpp"

namespace heddle {
namespace {

TEST(Error, EveryCodeHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    names.insert(name(static_cast<ErrorCode>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::internal) + 1);
  EXPECT_EQ(names.count("unknown"), 0u);
}

TEST(Error, FailFormatsTheSentence) {
  try {
    base::fail(ErrorCode::not_found, "no kernel '{}' among {}", "saxpy", 3);
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_STREQ(error.what(), "no kernel 'saxpy' among 3");
  }
}

}  // namespace
}  // namespace heddle
