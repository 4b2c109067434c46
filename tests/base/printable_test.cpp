#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

TEST(Printable, ControlCharactersAreShown) {
  EXPECT_EQ(printable("a\x1b[31m\nb\t\x7f"), "a\\x1b[31m\\nb\\x09\\x7f");
  EXPECT_EQ(printable("a\nb\tc\r", "\n\t"), "a\nb\tc\\x0d");
  EXPECT_EQ(printable("Füße.ptx"), "Füße.ptx");
}

}  // namespace
}  // namespace heddle::base
