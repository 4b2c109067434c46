#include "base/printable.hpp"

#include <gtest/gtest.h>

#include "heddle/error.hpp"

namespace heddle::base {
namespace {

TEST(Printable, ControlCharactersAreShown) {
  EXPECT_EQ(printable("a\x1b[31m\nb\t\x7f"), "a\\x1b[31m\\nb\\x09\\x7f");
  EXPECT_EQ(printable("a\nb\tc\r", "\n\t"), "a\nb\tc\\x0d");
  EXPECT_EQ(printable("Füße.ptx"), "Füße.ptx");
}

TEST(Printable, SourcesHaveNoLineEnds) {
  const auto refusal = [](const std::filesystem::path& source) -> std::string {
    try {
      refuse_line_end_of_source(source);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("a b/c.cu"), "");
  EXPECT_EQ(refusal("a/b\nc.cu"), "a/b\\nc.cu: the name of a source must have no line end in it; rename the file");
  EXPECT_EQ(refusal("a\rb/c.cu"),
            "a\\x0db/c.cu: the name of a source must have no line end in it; rename the folder, or name the file from "
            "inside the folder, as c.cu");
}

}  // namespace
}  // namespace heddle::base
