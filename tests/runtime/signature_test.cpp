// The parser of signatures: what it takes, what it says of what it does not, and that nothing else happens.
#include "modules/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "heddle/error.hpp"

namespace heddle::modules {
namespace {

using testing::HasSubstr;
using Kind = SignatureParameter::Kind;

std::string refusal(std::string_view text) {
  try {
    parse_signature(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse_error);
    return error.what();
  }
  return "taken";
}

TEST(Signature, InNidl) {
  const Signature made =
      parse_signature("saxpy(n: sint32, a: double, x: in pointer float, y: inout pointer float, z: out pointer): void");
  EXPECT_EQ(made.kernel, "saxpy");
  ASSERT_EQ(made.parameters.size(), 5u);
  EXPECT_EQ(made.parameters[0].name, "n");
  EXPECT_EQ(made.parameters[0].kind, Kind::integer);
  EXPECT_EQ(made.parameters[0].bytes, 4u);
  EXPECT_EQ(made.parameters[1].kind, Kind::floating);
  EXPECT_EQ(made.parameters[1].bytes, 8u);
  EXPECT_EQ(made.parameters[2].direction, Direction::in);
  EXPECT_EQ(made.parameters[2].element, "float");
  EXPECT_EQ(made.parameters[2].at, 29u);
  EXPECT_EQ(made.parameters[3].direction, Direction::inout);
  EXPECT_EQ(made.parameters[4].direction, Direction::out);
  EXPECT_EQ(made.parameters[4].element, "");
}

TEST(Signature, InTheCompactForm) {
  const Signature made = parse_signature("const pointer, pointer,\n inout pointer sint64 , struct[24], uint8");
  EXPECT_EQ(made.kernel, "");
  ASSERT_EQ(made.parameters.size(), 5u);
  EXPECT_EQ(made.parameters[0].direction, Direction::in);
  EXPECT_EQ(made.parameters[1].direction, Direction::found);
  EXPECT_EQ(made.parameters[2].element, "sint64");
  EXPECT_EQ(made.parameters[3].kind, Kind::structure);
  EXPECT_EQ(made.parameters[3].bytes, 24u);
  EXPECT_EQ(made.parameters[4].bytes, 1u);
  EXPECT_TRUE(parse_signature("").parameters.empty());
  EXPECT_TRUE(parse_signature(" k ( ) ").parameters.empty());
}

TEST(Signature, NamesMayBeWords) {
  EXPECT_EQ(parse_signature("f(in: in pointer, pointer: pointer, float: float)").parameters[1].name, "pointer");
  EXPECT_EQ(parse_signature("cxx scale(x: pointer)").kernel, "scale");
  EXPECT_EQ(parse_signature("cxx(x: pointer)").kernel, "");
}

TEST(Signature, ErrorsSayWhereAndWhatWasExpected) {
  EXPECT_EQ(refusal("const pointer, pinter"),
            "signature \"const pointer, pinter\": at character 16 stands 'pinter', where a name with ':', a direction, "
            "or a type (pointer, sint8 to sint64, uint8 to uint64, bool, char, float, double, struct[N]) was expected");
  EXPECT_THAT(refusal("f(x: in float)"),
              HasSubstr("at character 9 stands 'float', where 'pointer', which alone has a"));
  EXPECT_THAT(refusal("f(x: in)"), HasSubstr("at character 8 stands ')', where 'pointer'"));
  EXPECT_THAT(refusal("f(x: sint32"), HasSubstr("at character 12 stands the end, where ',' or ')' was expected"));
  EXPECT_THAT(refusal("f(x: sint32) y"), HasSubstr("at character 14 stands 'y', where the end was expected"));
  EXPECT_THAT(refusal("f(x: sint32): float"), HasSubstr("at character 15 stands 'float', where 'void'"));
  EXPECT_THAT(refusal("pointer,"), HasSubstr("at character 9 stands the end"));
  EXPECT_THAT(refusal("pointer flat"), HasSubstr("at character 9 stands 'flat', where what the pointer points to"));
  EXPECT_THAT(refusal("struct"), HasSubstr("at character 7 stands the end, where '[' and the structure's size"));
  EXPECT_THAT(refusal("struct[0]"), HasSubstr("where a number of bytes was expected"));
  EXPECT_THAT(refusal("struct[99999999999999999999]"), HasSubstr("at character 8"));
  EXPECT_THAT(refusal("sint32 pointer"), HasSubstr("at character 8 stands 'pointer', where ',' or the end"));
  EXPECT_THAT(refusal("f(,)"), HasSubstr("at character 3 stands ','"));
  EXPECT_THAT(refusal("\x01\n"), HasSubstr("signature \"  \": at character 1 stands ' '"));
}

// Whatever a text is, it is either taken, and then reads the same again, or refused with its place.
TEST(Signature, AnyTextIsTakenOrRefused) {
  const std::vector<std::string> words = {"saxpy",  "(",
                                          ")",      ",",
                                          ":",      "in",
                                          "out",    "inout",
                                          "const",  "pointer",
                                          "float",  "sint32",
                                          "struct", "[24]",
                                          "[",      "]",
                                          "void",   " ",
                                          "x",      "cxx",
                                          "\n",     "0",
                                          "]",      "ull64",
                                          "\xff",   std::string(1, '\0')};
  const std::string whole = "cxx saxpy(n: sint32, x: in pointer float, y: inout pointer double, s: struct[24]): void";
  std::mt19937 random(1);
  const auto below = [&](std::size_t count) { return random() % count; };
  std::size_t taken = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    if (i % 2 == 0) {
      for (std::size_t k = below(12); k > 0; --k) text += words[below(words.size())] + (below(2) == 0 ? " " : "");
    } else {
      text = whole;
      for (std::size_t k = below(4) + 1; k > 0; --k) {
        const std::size_t at = below(text.size());
        switch (below(3)) {
          case 0: text[at] = static_cast<char>(random()); break;
          case 1: text.erase(at, 1 + below(8)); break;
          default: text.insert(at, words[below(words.size())]);
        }
        if (text.empty()) break;
      }
    }
    try {
      const Signature made = parse_signature(text);
      ++taken;
      EXPECT_EQ(parse_signature(to_text(made)), made) << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::parse_error) << text;
      EXPECT_THAT(error.what(), HasSubstr("at character ")) << text;
    }
  }
  EXPECT_GT(taken, 500u);
}

}  // namespace
}  // namespace heddle::modules
