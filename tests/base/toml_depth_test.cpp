#include "base/toml_depth.hpp"

#include <gtest/gtest.h>

#include <string>

namespace heddle::base {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

TEST(TomlDepth, OfKeysIsLimited) {
  const std::size_t most = most_key_parts;
  EXPECT_EQ(line_of_deep_key("[" + repeated("a.", most - 1) + "a]\nx = 1.5\n"), 0u);
  EXPECT_EQ(line_of_deep_key("\n\n[" + repeated("a.", most) + "a]\n"), 3u);
  EXPECT_EQ(line_of_deep_key("[[" + repeated("a.", most) + "a]]\n"), 1u);
  EXPECT_EQ(line_of_deep_key("x = 1\n" + repeated("a.", most) + "a = 1\n"), 2u);
  EXPECT_EQ(line_of_deep_key(repeated("\"a b\" . ", most) + "'\\' = 1\n"), 1u);
  EXPECT_EQ(line_of_deep_key(repeated("'a'.", 300'000)), 1u);
}

TEST(TomlDepth, OfInlineTablesAddsUp) {
  EXPECT_EQ(line_of_deep_key(repeated("a.b.c.d = {", 64) + "e = 1" + repeated("}", 64)), 1u);
  EXPECT_EQ(line_of_deep_key(repeated("a.b.c.d = {", 63) + "e = 1" + repeated("}", 63)), 0u);
  EXPECT_EQ(line_of_deep_key(repeated("a.b.c.d = [[{", 64) + "e = 1" + repeated("}]]", 64)), 1u);
  EXPECT_EQ(line_of_deep_key("x = [" + repeated("{a.b = 1.5, c.d = \"e\"}, ", 1000) + "]"), 0u);
}

TEST(TomlDepth, CountsNoDotsOfTextsAndComments) {
  const std::string dots = repeated("a.", 1000);
  EXPECT_EQ(line_of_deep_key("# " + dots + "\nx = \"\\\"" + dots + "\" # '\ny = '" + dots + "'\n"), 0u);
  EXPECT_EQ(line_of_deep_key("x = \"\"\"\n\"" + dots + "\n\\\"\"\"" + dots + "\"\"\"\ny = '''\n" + dots + "''\n'''"),
            0u);
  EXPECT_EQ(line_of_deep_key("x = \"\"\"\"\"\"\n" + dots + "a = 1"), 2u);
}

TEST(TomlDepth, OfOtherTextsIsSomething) {
  for (const char* text : {"", "\"", "\"\\", "'''", "}}}", "{", ".", "\"\"\"\\"}) EXPECT_EQ(line_of_deep_key(text), 0u);
}

}  // namespace
}  // namespace heddle::base
