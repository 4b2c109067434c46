// Constant expressions.
#include "ptx/parser_impl.hpp"

namespace heddle::ptx {
namespace {

constexpr unsigned deepest_nesting = 200;
constexpr int product_precedence = 10;

}  // namespace

Constant Parser::constant() {
  Constant value = binary(1);
  if (!is(TokenKind::question)) return value;
  if (value.is_real()) fail("an integer condition before '?'");
  if (++nesting_ > deepest_nesting) fail("an expression that is nested less deeply");
  advance();
  const Constant if_true = constant();
  expect(TokenKind::colon);
  const Constant if_false = constant();
  --nesting_;
  return value.truth() ? if_true : if_false;
}

Constant Parser::constant_sum_term() { return binary(product_precedence); }

std::uint64_t Parser::unsigned_constant(std::uint64_t limit, std::string_view what) {
  const Token first = token_;
  const Constant value = primary();
  if (value.is_real() || value.bits > limit) fail_at(first, what);
  return value.bits;
}

Constant Parser::binary(int minimum_precedence) {
  Constant left = unary();
  for (;;) {
    // After a value a % is the remainder even when it sticks to what follows.
    if (is(TokenKind::identifier) && token_.text[0] == '%') {
      lexer_.split(token_, 1);
      token_.kind = TokenKind::percent;
      token_.text = token_.text.substr(0, 1);
    }
    const Token op = token_;
    const int strength = precedence(op.kind);
    if (strength == 0 || strength < minimum_precedence) return left;
    advance();
    const Constant right = binary(strength + 1);
    const auto result = apply_binary(op.kind, left, right);
    if (!result) fail_at(op, "an operator that fits its operands, and no division by zero");
    left = *result;
  }
}

Constant Parser::unary() {
  const Token op = token_;
  switch (op.kind) {
    case TokenKind::plus:
    case TokenKind::minus:
    case TokenKind::exclamation:
    case TokenKind::tilde: {
      advance();
      if (++nesting_ > deepest_nesting) fail("an expression that is nested less deeply");
      const auto result = apply_unary(op.kind, unary());
      --nesting_;
      if (!result) fail_at(op, "an operator that fits its operand");
      return *result;
    }
    default: return primary();
  }
}

Constant Parser::primary() {
  const Token first = token_;
  switch (first.kind) {
    case TokenKind::integer:
    case TokenKind::real: {
      const auto value = literal_value(first.kind, first.text);
      if (!value) fail("a number that fits into 64 bits");
      advance();
      return *value;
    }
    case TokenKind::word: {  // .5
      const auto value = token_.text[0] >= '0' && token_.text[0] <= '9'
                             ? literal_value(TokenKind::real, "." + std::string(token_.text))
                             : std::nullopt;
      if (!value) fail("a number");
      advance();
      return *value;
    }
    case TokenKind::identifier:
      if (first.text != "WARP_SZ") fail("a number");
      advance();
      return Constant::integer(32);
    case TokenKind::left_paren: return parenthesised();
    default: fail("a number");
  }
}

Constant Parser::parenthesised() {
  if (++nesting_ > deepest_nesting) fail("an expression that is nested less deeply");
  advance();
  Constant value;
  if (is_word("s64") || is_word("u64")) {  // a cast
    const bool is_signed = token_.text[0] == 's';
    advance();
    expect(TokenKind::right_paren);
    const Token operand = token_;
    value = unary();
    if (value.is_real()) fail_at(operand, "an integer to cast");
    value.kind = is_signed ? Constant::Kind::signed_integer : Constant::Kind::unsigned_integer;
  } else {
    value = constant();
    expect(TokenKind::right_paren);
  }
  --nesting_;
  return value;
}

}  // namespace heddle::ptx
