#include "ptx/lexer.hpp"

#include <array>

#include "base/content.hpp"

namespace heddle::ptx {
namespace {

enum CharacterClass : std::uint8_t {
  blank = 1,        // space, tab, ... and NUL, which ends PTX taken from a fat binary
  starts_name = 2,  // letters, _ $ %
  in_name = 4,      // letters, digits, _ $
  digit = 8,
  hex_digit = 16,
};

constexpr std::array<std::uint8_t, 256> classes = [] {
  std::array<std::uint8_t, 256> result{};
  for (char c : {' ', '\t', '\r', '\v', '\f', '\0'}) result[static_cast<unsigned char>(c)] = blank;
  for (int c = 'a'; c <= 'z'; ++c) result[c] = result[c - 'a' + 'A'] = starts_name | in_name;
  for (int c = '0'; c <= '9'; ++c) result[c] = in_name | digit | hex_digit;
  for (int c = 'a'; c <= 'f'; ++c) result[c] = result[c - 'a' + 'A'] |= hex_digit;
  result['_'] = result['$'] = starts_name | in_name;
  result['%'] = starts_name;
  return result;
}();

bool is(char c, std::uint8_t wanted) { return (classes[static_cast<unsigned char>(c)] & wanted) != 0; }

}  // namespace

std::string_view describe(TokenKind kind) {
  static constexpr std::string_view texts[] = {"the end of the text",
                                               "an identifier",
                                               "a directive",
                                               "an integer",
                                               "a floating-point number",
                                               "a string",
                                               "'<<'",
                                               "'>>'",
                                               "'<='",
                                               "'>='",
                                               "'=='",
                                               "'!='",
                                               "'&&'",
                                               "'||'",
                                               "','",
                                               "';'",
                                               "':'",
                                               "'{'",
                                               "'}'",
                                               "'['",
                                               "']'",
                                               "'('",
                                               "')'",
                                               "'<'",
                                               "'>'",
                                               "'|'",
                                               "'!'",
                                               "'+'",
                                               "'-'",
                                               "'*'",
                                               "'/'",
                                               "'%'",
                                               "'&'",
                                               "'^'",
                                               "'~'",
                                               "'?'",
                                               "'='",
                                               "'@'",
                                               "an invalid character"};
  static_assert(std::size(texts) == static_cast<std::size_t>(TokenKind::invalid) + 1);
  return texts[static_cast<std::size_t>(kind)];
}

// Columns count from behind a byte order mark, as editors do.
Lexer::Lexer(std::string_view text)
    : at_(base::without_byte_order_mark(text).data()), end_(text.data() + text.size()), line_begin_(at_) {}

void Lexer::skip_line() {
  while (at_ != end_ && *at_ != '\n') ++at_;
}

bool Lexer::skip_block_comment() {
  const char* p = at_ + 2;
  std::uint32_t line = line_;
  const char* line_begin = line_begin_;
  for (;; ++p) {
    if (end_ - p < 2) return false;
    if (*p == '\n') {
      ++line;
      line_begin = p + 1;
    }
    if (p[0] == '*' && p[1] == '/') break;
  }
  at_ = p + 2;
  line_ = line;
  line_begin_ = line_begin;
  return true;
}

bool Lexer::skip_blanks() {
  for (;;) {
    while (at_ != end_ && is(*at_, blank)) ++at_;
    if (at_ == end_) return true;
    if (*at_ == '\n') {
      ++at_;
      ++line_;
      line_begin_ = at_;
    } else if (*at_ == '/' && look(1) == '/') {
      skip_line();
    } else if (*at_ == '/' && look(1) == '*') {
      if (!skip_block_comment()) return false;
    } else if (*at_ == '#' && at_ == line_begin_ && look(1) == ' ' && is(look(2), digit)) {
      skip_line();  // the line marker of a C preprocessor
    } else {
      return true;
    }
  }
}

inline void Lexer::make(Token& token, TokenKind kind, std::size_t length) {
  token.kind = kind;
  token.line = line_;
  token.column = static_cast<std::uint32_t>(at_ - line_begin_) + 1;
  token.text = {at_, length};
  token.begin = at_;
  at_ += length;
}

void Lexer::identifier(Token& token) {
  std::size_t length = 1;
  while (is(look(length), in_name)) ++length;
  if (length == 1 && *at_ == '%') return make(token, TokenKind::percent, 1);
  return make(token, TokenKind::identifier, length);
}

void Lexer::word(Token& token) {
  std::size_t length = 1;
  while (is(look(length), in_name) || (look(length) == ':' && look(length + 1) == ':' && is(look(length + 2), in_name)))
    length += look(length) == ':' ? 2 : 1;
  if (length == 1) return make(token, TokenKind::invalid, 1);
  make(token, TokenKind::word, length);
  token.text.remove_prefix(1);
}

void Lexer::number(Token& token) {
  const char second = look(1);
  const auto run = [&](std::size_t from, std::uint8_t wanted) {
    std::size_t length = from;
    while (is(look(length), wanted)) ++length;
    return length;
  };
  const auto finish = [&](TokenKind kind, std::size_t length, bool well_formed) {
    if (kind == TokenKind::integer && look(length) == 'U') ++length;
    const std::size_t whole = run(length, in_name);
    return whole == length && well_formed ? make(token, kind, length) : make(token, TokenKind::invalid, whole);
  };
  if (*at_ == '0' && (second == 'x' || second == 'X')) {
    const std::size_t length = run(2, hex_digit);
    return finish(TokenKind::integer, length, length > 2);
  }
  if (*at_ == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    const std::size_t length = run(2, hex_digit);
    return finish(TokenKind::real, length, length == (second == 'f' || second == 'F' ? 10u : 18u));
  }
  if (*at_ == '0' && (second == 'b' || second == 'B')) {
    std::size_t length = 2;
    while (look(length) == '0' || look(length) == '1') ++length;
    return finish(TokenKind::integer, length, length > 2);
  }
  std::size_t length = run(1, digit);
  TokenKind kind = TokenKind::integer;
  if (look(length) == '.' && !is(look(length + 1), starts_name)) {
    kind = TokenKind::real;
    length = run(length + 1, digit);
  }
  if (look(length) == 'e' || look(length) == 'E') {
    const std::size_t sign = look(length + 1) == '+' || look(length + 1) == '-' ? 1 : 0;
    const std::size_t exponent_end = run(length + 1 + sign, digit);
    kind = TokenKind::real;
    return finish(kind, exponent_end, exponent_end > length + 1 + sign);
  }
  return finish(kind, length, true);
}

void Lexer::string(Token& token) {
  std::size_t length = 1;
  const std::size_t left = static_cast<std::size_t>(end_ - at_);
  while (length < left && at_[length] != '"' && at_[length] != '\n') length += at_[length] == '\\' ? 2 : 1;
  if (length >= left || at_[length] != '"') return make(token, TokenKind::invalid, 1);
  make(token, TokenKind::string, length + 1);
  token.text = token.text.substr(1, length - 1);
}

void Lexer::punctuation(Token& token) {
  using enum TokenKind;
  const char second = look(1);
  switch (*at_) {
    case ',': return make(token, comma, 1);
    case ';': return make(token, semicolon, 1);
    case ':': return make(token, colon, 1);
    case '{': return make(token, left_brace, 1);
    case '}': return make(token, right_brace, 1);
    case '[': return make(token, left_bracket, 1);
    case ']': return make(token, right_bracket, 1);
    case '(': return make(token, left_paren, 1);
    case ')': return make(token, right_paren, 1);
    case '<':
      return second == '<'   ? make(token, shift_left, 2)
             : second == '=' ? make(token, less_equal, 2)
                             : make(token, less, 1);
    case '>':
      return second == '>'   ? make(token, shift_right, 2)
             : second == '=' ? make(token, greater_equal, 2)
                             : make(token, greater, 1);
    case '|': return second == '|' ? make(token, or_or, 2) : make(token, pipe, 1);
    case '!': return second == '=' ? make(token, not_equal, 2) : make(token, exclamation, 1);
    case '+': return make(token, plus, 1);
    case '-': return make(token, minus, 1);
    case '*': return make(token, star, 1);
    case '/': return make(token, slash, 1);
    case '&': return second == '&' ? make(token, and_and, 2) : make(token, ampersand, 1);
    case '^': return make(token, caret, 1);
    case '~': return make(token, tilde, 1);
    case '?': return make(token, question, 1);
    case '=': return second == '=' ? make(token, equal_equal, 2) : make(token, equals, 1);
    case '@': return make(token, at, 1);
    default: return make(token, invalid, 1);
  }
}

void Lexer::next(Token& token) {
  if (!skip_blanks()) {  // stands at the '/*' that is never closed
    make(token, TokenKind::invalid, 2);
    at_ = end_;
    return;
  }
  if (at_ == end_) return make(token, TokenKind::end, 0);
  const char c = *at_;
  if (is(c, starts_name)) return identifier(token);
  if (c == '.') return word(token);
  if (is(c, digit)) return number(token);
  if (c == '"') return string(token);
  return punctuation(token);
}

char Lexer::peek_character() { return skip_blanks() && at_ != end_ ? *at_ : '\0'; }

void Lexer::split(const Token& token, std::size_t length) {
  at_ = token.begin + length;
  line_ = token.line;
  line_begin_ = token.begin - (token.column - 1);
}

std::string_view Lexer::raw_block(const Token& token) {
  unsigned depth = 1;
  Token inner;
  for (next(inner); inner.kind != TokenKind::end; next(inner)) {
    if (inner.kind == TokenKind::left_brace) ++depth;
    if (inner.kind == TokenKind::right_brace && --depth == 0)
      return {token.begin, static_cast<std::size_t>(inner.begin + 1 - token.begin)};
  }
  return {};
}

}  // namespace heddle::ptx
