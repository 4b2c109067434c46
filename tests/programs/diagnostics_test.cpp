#include "programs/cc/diagnostics.hpp"

#include <gtest/gtest.h>

namespace heddle::programs {
namespace {

const std::string first = "a.cu:1:2: warning: one\n  text\n  ^\n";
const std::string second = "In file included from a.cu:1:\na.h:3:1: warning: two\na.h:4:1: note: here\n";

TEST(Diagnostics, WhatBothSidesSayIsSaidOnce) {
  EXPECT_EQ(merged_diagnostics(first + "1 warning generated when compiling for host.\n",
                               first + second + "2 warnings generated when compiling for sm_80.\n"),
            first + second);
  EXPECT_EQ(merged_diagnostics("", ""), "");
  EXPECT_EQ(merged_diagnostics("", "1 warning generated when compiling for sm_80."), "");
  EXPECT_EQ(merged_diagnostics(second, second), second);
}

TEST(Diagnostics, WordsForAShell) {
  EXPECT_EQ(quoted("-I/a_b/c.h"), "-I/a_b/c.h");
  EXPECT_EQ(quoted("a b"), "'a b'");
  EXPECT_EQ(quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted(""), "''");
}

}  // namespace
}  // namespace heddle::programs
