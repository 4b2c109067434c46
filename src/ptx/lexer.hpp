// PTX text to tokens, on demand and without allocation: tokens are views into the text, which must outlive them.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::ptx {

enum class TokenKind : std::uint8_t {
  end,
  identifier,  // foo, %r1, $L__BB0_1, _
  word,        // .reg, .f32, .L1::no_allocate: a dot and what follows it
  integer,     // 12, 0x1F, 017, 0b11, with or without a U
  real,        // 0f3F800000, 0d3FF0000000000000, 1.5, 2e3
  string,      // "..." without escapes resolved
  shift_left,
  shift_right,
  less_equal,
  greater_equal,
  equal_equal,
  not_equal,
  and_and,
  or_or,
  // Single characters stand for themselves.
  comma,
  semicolon,
  colon,
  left_brace,
  right_brace,
  left_bracket,
  right_bracket,
  left_paren,
  right_paren,
  less,
  greater,
  pipe,
  exclamation,
  plus,
  minus,
  star,
  slash,
  percent,
  ampersand,
  caret,
  tilde,
  question,
  equals,
  at,
  invalid,  // a character that is not PTX, an unfinished string or comment, a malformed number
};

// What a kind looks like, for messages: "';'", "an identifier".
std::string_view describe(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t line = 1, column = 1;  // 1-based; columns count bytes
  std::string_view text;               // all of the token; of a word and a string without the dot and the quotes
  const char* begin = nullptr;         // first character in the text
};

class Lexer {
 public:
  explicit Lexer(std::string_view text);

  void next(Token& token);
  // The first character of the next token, '\0' at the end.
  char peek_character();
  // Continues right behind the first `length` characters of `token` (which lies on one line).
  void split(const Token& token, std::size_t length);

  // From `token`, which must be a '{', to behind the matching '}'; continues there. Empty without a match.
  std::string_view raw_block(const Token& token);

 private:
  bool skip_blanks();  // false: unfinished comment
  void skip_line();
  bool skip_block_comment();
  void make(Token& token, TokenKind kind, std::size_t length);
  void identifier(Token& token);
  void word(Token& token);
  void number(Token& token);
  void string(Token& token);
  void punctuation(Token& token);
  char look(std::size_t i) const { return i < static_cast<std::size_t>(end_ - at_) ? at_[i] : '\0'; }

  const char* at_;
  const char* end_;
  const char* line_begin_;
  std::uint32_t line_ = 1;
};

}  // namespace heddle::ptx
