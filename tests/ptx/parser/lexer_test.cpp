#include "ptx/lexer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::ptx {
namespace {

std::vector<Token> all(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  do lexer.next(tokens.emplace_back());
  while (tokens.back().kind != TokenKind::end);
  tokens.pop_back();
  return tokens;
}

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> result;
  for (const Token& token : all(text)) result.emplace_back(token.text);
  return result;
}

TEST(Lexer, SplitsAnInstruction) {
  EXPECT_EQ(texts("@!%p1 ld.global.L1::no_allocate.v2.f32 {%f1,%f2}, [%rd1+-4];"),
            (std::vector<std::string>{"@",  "!",   "%p1", "ld",   "global", "L1::no_allocate",
                                      "v2", "f32", "{",   "%f1",  ",",      "%f2",
                                      "}",  ",",   "[",   "%rd1", "+",      "-",
                                      "4",  "]",   ";"}));
}

TEST(Lexer, TellsNumbersApart) {
  for (const char* text : {"0", "12", "0x1F", "0XffU", "017", "0b101", "7U"}) {
    const auto tokens = all(text);
    ASSERT_EQ(tokens.size(), 1u) << text;
    EXPECT_EQ(tokens[0].kind, TokenKind::integer) << text;
  }
  for (const char* text : {"1.5", "1.", "2e3", "1.5E-3", "0f3F800000", "0D3ff0000000000000"}) {
    const auto tokens = all(text);
    ASSERT_EQ(tokens.size(), 1u) << text;
    EXPECT_EQ(tokens[0].kind, TokenKind::real) << text;
  }
  for (const char* text : {"0x", "0xG", "0b2", "0f3F80000", "0f3F8000000", "0d3ff0", "12ab", "1e", "1e+", "3u"})
    EXPECT_EQ(all(text)[0].kind, TokenKind::invalid) << text;
}

TEST(Lexer, PercentIsAnOperatorOrStartsAName) {
  EXPECT_EQ(all("% 3")[0].kind, TokenKind::percent);
  EXPECT_EQ(all("%a3")[0].kind, TokenKind::identifier);
}

TEST(Lexer, SkipsCommentsAndLineMarkers) {
  EXPECT_EQ(texts("a // b\n/* c\n d */ e\n# 1 \"file.cu\"\nf"), (std::vector<std::string>{"a", "e", "f"}));
  EXPECT_EQ(all("#define x")[0].kind, TokenKind::invalid);
  EXPECT_EQ(all("a /* no end").back().kind, TokenKind::invalid);
  EXPECT_EQ(all("/*/").back().kind, TokenKind::invalid);
}

TEST(Lexer, CountsLinesAndColumns) {
  const auto tokens = all("a\n  b /* x\ny */ c\r\n\td");
  ASSERT_EQ(tokens.size(), 4u);
  const std::pair<unsigned, unsigned> places[] = {{1, 1}, {2, 3}, {3, 6}, {4, 2}};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(std::pair(tokens[i].line, tokens[i].column), places[i]) << i;
}

TEST(Lexer, StringsKeepTheirText) {
  const auto tokens = all(R"("a \" b" "open)");
  EXPECT_EQ(tokens[0].kind, TokenKind::string);
  EXPECT_EQ(tokens[0].text, R"(a \" b)");
  EXPECT_EQ(tokens[1].kind, TokenKind::invalid);
  EXPECT_EQ(all("\"line\nbreak\"")[0].kind, TokenKind::invalid);
  EXPECT_EQ(all("\"\\")[0].kind, TokenKind::invalid);
}

TEST(Lexer, NulAndByteOrderMarkAreBlank) {
  EXPECT_EQ(texts(std::string_view("\xEF\xBB\xBF"
                                   "a\0\0",
                                   6)),
            std::vector<std::string>{"a"});
}

TEST(Lexer, RawBlockFindsItsEnd) {
  Lexer lexer("{ a { b } \"}\" // }\n } c");
  Token token;
  lexer.next(token);
  EXPECT_EQ(lexer.raw_block(token), "{ a { b } \"}\" // }\n }");
  lexer.next(token);
  EXPECT_EQ(token.text, "c");
  Lexer open("{ {}");
  open.next(token);
  EXPECT_TRUE(open.raw_block(token).empty());
}

}  // namespace
}  // namespace heddle::ptx
