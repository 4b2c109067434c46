// The list of programs of script/compat.
#include "compat/list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "heddle/error.hpp"

namespace heddle::bench {
namespace {

ProgramList parse(const std::string& text) { return parse_program_list(text, "/programs"); }

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ProgramList, SaysHowAProgramIsStarted) {
  const ProgramList list = parse(R"(# a comment
title: Samples
at least: 90
*:
  group: first
  seconds: 30
  passes: ^PASS$
add: bin/add -n 4 'two words' "" --x="a b"
  exit: 3
  fails: wrong: [0-9]+
  folder: data
sub: sub

*:
  group: second
mul: left out: needs: a texture
)");
  EXPECT_EQ(list.title, "Samples");
  EXPECT_EQ(list.least_percent, 90);
  ASSERT_EQ(list.programs.size(), 3u);
  const Program &add = list.programs[0], &sub = list.programs[1], &mul = list.programs[2];
  EXPECT_EQ(add.name, "add");
  EXPECT_EQ(add.file, "/programs/bin/add");
  EXPECT_EQ(add.folder, "/programs/data");
  EXPECT_THAT(add.arguments, testing::ElementsAre("-n", "4", "two words", "", "--x=a b"));
  EXPECT_EQ(add.exit_code, 3);
  EXPECT_EQ(add.fails, "wrong: [0-9]+");
  EXPECT_EQ(add.passes, "^PASS$");
  EXPECT_EQ(add.seconds, 30);
  EXPECT_EQ(add.group, "first");
  EXPECT_EQ(sub.folder, "/programs");
  EXPECT_EQ(sub.exit_code, 0) << "settings of a program are its own";
  EXPECT_EQ(sub.fails, "");
  EXPECT_EQ(mul.left_out, "needs: a texture");
  EXPECT_EQ(mul.group, "second");
  EXPECT_EQ(mul.seconds, 30) << "later settings for all add to the earlier ones";
}

TEST(ProgramList, IsNamedAfterItsFolder) {
  EXPECT_EQ(parse_program_list("a: a", "/x/samples/").title, "samples");
  EXPECT_EQ(parse_program_list("a: a", "/x/samples").title, "samples");
}

TEST(ProgramList, RefusesWithTheLine) {
  EXPECT_THAT(refusal(""), testing::HasSubstr("no program"));
  EXPECT_THAT(refusal("a: a\nb"), testing::HasSubstr("line 2"));
  EXPECT_THAT(refusal("a: a\na: b"), testing::HasSubstr("two programs 'a'"));
  EXPECT_THAT(refusal("  exit: 1"), testing::HasSubstr("no program"));
  EXPECT_THAT(refusal("a: a\n  exit: 256"), testing::HasSubstr("256"));
  EXPECT_THAT(refusal("a: a\n  seconds: 0"), testing::HasSubstr("above 0"));
  EXPECT_THAT(refusal("a: a\n  seconds: 1x"), testing::HasSubstr("1x"));
  EXPECT_THAT(refusal("a: a\n  passes: ("), testing::HasSubstr("regular expression"));
  EXPECT_THAT(refusal("a: a\n  colour: red"), testing::HasSubstr("colour"));
  EXPECT_THAT(refusal("a: a\n  group: g"), testing::HasSubstr("group"));
  EXPECT_THAT(refusal("a: 'a"), testing::HasSubstr("quote"));
  EXPECT_THAT(refusal("a:"), testing::HasSubstr("no command"));
  EXPECT_THAT(refusal("a: left out:"), testing::HasSubstr("reason"));
  EXPECT_THAT(refusal("*: a"), testing::HasSubstr("alone"));
}

}  // namespace
}  // namespace heddle::bench
