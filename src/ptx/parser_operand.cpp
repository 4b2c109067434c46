// Operands as they are written; which of them an instruction takes is the business of resolve().
#include "ptx/parser_impl.hpp"
#include "ptx/selector.hpp"

namespace heddle::ptx {
namespace {

// Component of a vector register or special register: x y z w, or r g b a.
std::optional<unsigned> component_index(std::string_view word) {
  if (word.size() != 1) return std::nullopt;
  for (std::string_view names : {"xyzw", "rgba"})
    if (const std::size_t i = names.find(word[0]); i != names.npos) return static_cast<unsigned>(i);
  return std::nullopt;
}

}  // namespace

void Parser::operand(Operand& result) {
  switch (token_.kind) {
    case TokenKind::identifier: return name_operand(result);
    case TokenKind::left_bracket: return address_operand(result);
    case TokenKind::left_brace: return vector_operand(result, TokenKind::right_brace);
    case TokenKind::exclamation:
    case TokenKind::minus: {
      const char next = lexer_.peek_character();
      const bool is_name =
          next == '%' || next == '_' || next == '$' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
      return is_name ? negated_operand(result) : constant_operand(result);
    }
    default: return constant_operand(result);
  }
}

void Parser::negated_operand(Operand& result) {
  const Token sign = token_;
  advance();
  if (token_.text == "WARP_SZ") {
    const Constant size = Constant::integer(32);
    result = Operand::make_integer(sign.kind == TokenKind::minus ? -size.as_signed() : 0);
    advance();
    return;
  }
  const Token name = token_;
  name_operand(result);
  if (!result.is_reg()) fail_at(name, "a register");
  result.negated = true;
}

void Parser::constant_operand(Operand& result) {
  if (!is(TokenKind::integer) && !is(TokenKind::real) && precedence(token_.kind) == 0 &&
      token_.kind != TokenKind::left_paren && token_.kind != TokenKind::exclamation &&
      token_.kind != TokenKind::tilde && token_.kind != TokenKind::word && !is(TokenKind::identifier))
    fail("an operand");
  const Constant value = constant();
  switch (value.kind) {
    case Constant::Kind::f32: result.real_type = Type::f32; break;
    case Constant::Kind::f64: result.real_type = Type::f64; break;
    default: break;
  }
  result.kind = value.is_real() ? OperandKind::real : OperandKind::integer;
  result.value = value.as_signed();
}

void Parser::name_operand(Operand& result) {
  const Token name = token_;
  if (name.text == "_") {
    result.kind = OperandKind::sink;
    return advance();
  }
  const FunctionNames::Found found = names_.find(name.text);
  switch (found.kind) {
    case NameKind::reg:
      advance();
      register_operand(result, found.index);
      if (is(TokenKind::plus)) {
        result.value = symbol_offset();
        has_register_offset_ = has_register_offset_ || result.value != 0;
      }
      return;
    case NameKind::vector_reg: advance(); return vector_register_operand(result, found.index);
    case NameKind::module_variable:
      advance();
      return symbol_operand(result, {SymbolRef::Kind::module_variable, found.index});
    case NameKind::local_variable:
      advance();
      return symbol_operand(result, {SymbolRef::Kind::local_variable, found.index});
    case NameKind::parameter: advance(); return symbol_operand(result, {SymbolRef::Kind::parameter, found.index});
    case NameKind::return_parameter:
      advance();
      return symbol_operand(result, {SymbolRef::Kind::return_parameter, found.index});
    case NameKind::function:
      advance();
      result.kind = OperandKind::symbol;
      result.symbol = {SymbolRef::Kind::function, found.index};
      return;
    case NameKind::table:
      advance();
      result.kind = OperandKind::table;
      result.index = found.index;
      return;
    case NameKind::none:
    case NameKind::label:
    case NameKind::lazy_reg: return special_or_label_operand(result, name);
  }
}

void Parser::register_operand(Operand& result, std::uint32_t index) {
  result.kind = OperandKind::reg;
  result.index = index;
  if (!is(TokenKind::word)) return;
  result.selector = selector_from_name(token_.text);
  if (result.selector == 0) fail("',' or ';', or a selector such as '.b0' or '.h1'");
  advance();
}

void Parser::vector_register_operand(Operand& result, std::uint32_t index) {
  if (is(TokenKind::word)) {
    const auto i = component_index(token_.text);
    if (!i || *i >= names_.width(index)) fail("a component of the vector register");
    advance();
    return register_operand(result, names_.component(index, *i));
  }
  result.kind = OperandKind::vector;
  for (unsigned i = 0; i < names_.width(index); ++i)
    result.elements.push_back(Operand::make_reg(names_.component(index, i)));
}

// A variable: its address, with an offset, or an element of it: name[2], which memory instructions take as an address.
void Parser::symbol_operand(Operand& result, SymbolRef symbol) {
  result.kind = OperandKind::symbol;
  result.symbol = symbol;
  if (is(TokenKind::left_bracket)) {
    advance();
    const Token first = token_;
    if (is(TokenKind::identifier) && token_.text != "WARP_SZ")
      fail("a constant: an array element with a register as its index is not supported, compute the address instead");
    const Constant index = constant();
    if (index.is_real()) fail_at(first, "an integer");
    result.value = static_cast<std::int64_t>(index.bits * byte_size(element_type(symbol)));
    expect(TokenKind::right_bracket);
    if (opcode_ != Opcode::mov && opcode_ != Opcode::cvta) {
      result.kind = OperandKind::address;
      result.base = OperandKind::symbol;
    }
    return;
  }
  result.value = symbol_offset();
}

Type Parser::element_type(SymbolRef symbol) const {
  switch (symbol.kind) {
    case SymbolRef::Kind::module_variable: return module_.variables[symbol.index].type;
    case SymbolRef::Kind::local_variable: return function_.variables[symbol.index].type;
    case SymbolRef::Kind::parameter: return function_.parameters[symbol.index].type;
    case SymbolRef::Kind::return_parameter: return function_.returns[symbol.index].type;
    case SymbolRef::Kind::function: break;
  }
  return Type::b8;
}

void Parser::special_or_label_operand(Operand& result, const Token& name) {
  if (special_operand(result, name)) return;
  if (opcode_ != Opcode::bra) fail_at(name, "a name that is declared before");
  result.kind = OperandKind::label;
  result.index = label(name);
  advance();
}

// %tid.x, or all of %tid as a vector of its components and a zero.
bool Parser::special_operand(Operand& result, const Token& name) {
  if (name.text == "WARP_SZ") {
    advance();
    if (precedence(token_.kind) == 0 || is(TokenKind::pipe)) {
      result.kind = OperandKind::special;
      result.special = SpecialRegister::warpsize;
      return true;
    }
    lexer_.split(name, name.text.size());
    token_ = name;
    constant_operand(result);
    return true;
  }
  if (name.text[0] != '%') return false;
  if (const auto special = special_from_name(name.text)) {
    advance();
    result.kind = OperandKind::special;
    result.special = *special;
    return true;
  }
  const auto first = special_vector(name.text);
  if (!first) return false;
  advance();
  if (!is(TokenKind::word)) {
    result.kind = OperandKind::vector;
    for (unsigned i = 0; i < 3; ++i) {
      Operand& element = result.elements.emplace_back();
      element.kind = OperandKind::special;
      element.special = static_cast<SpecialRegister>(static_cast<unsigned>(*first) + i);
    }
    result.elements.push_back(Operand::make_integer(0));
    return true;
  }
  const auto i = component_index(token_.text);
  if (!i) fail("a component of the special register");
  advance();
  if (*i == 3) {  // the fourth component is always zero
    result = Operand::make_integer(0);
    return true;
  }
  result.kind = OperandKind::special;
  result.special = static_cast<SpecialRegister>(static_cast<unsigned>(*first) + *i);
  return true;
}

// Part of a vector or of an address.
void Parser::element_operand(Operand& result) {
  const Token first = token_;
  operand(result);
  if (result.is_reg() && result.value != 0) fail_at(first, "a register without an offset in this place");
}

// {a, _, 1} and the (a, b) of calls.
void Parser::vector_operand(Operand& result, TokenKind close) {
  advance();
  result.kind = OperandKind::vector;
  if (accept(close)) return;
  do {
    if (is(TokenKind::left_brace) || is(TokenKind::left_bracket)) fail("a register or a constant");
    element_operand(result.elements.emplace_back());
    if (result.elements.back().kind == OperandKind::vector) {  // a vector register stands for its components
      const std::vector<Operand> components = std::move(result.elements.back().elements);
      result.elements.pop_back();
      result.elements.insert(result.elements.end(), components.begin(), components.end());
    }
  } while (accept(TokenKind::comma));
  expect(close);
}

// [base + offset, more...]
void Parser::address_operand(Operand& result) {
  advance();
  address_base(result);
  while (accept(TokenKind::comma)) {
    if (is(TokenKind::left_bracket)) fail("a register, a name or '{'");
    element_operand(result.elements.emplace_back());
  }
  expect(TokenKind::right_bracket);
}

void Parser::address_base(Operand& result) {
  const Token first = token_;
  if (!is(TokenKind::identifier) || first.text == "WARP_SZ") {
    const Constant value = constant();
    if (value.is_real()) fail_at(first, "an address");
    result.value = value.as_signed();
  } else {
    const bool other_offsets = has_register_offset_;
    name_operand(result);
    if (result.kind == OperandKind::reg && result.selector == 0) {
      result.base = OperandKind::reg;  // with its offset, which is no sum to compute first
      has_register_offset_ = other_offsets;
      if (is(TokenKind::minus)) result.value = symbol_offset();
    } else if (result.kind == OperandKind::symbol && result.symbol.kind != SymbolRef::Kind::function) {
      result.base = OperandKind::symbol;
    } else {
      fail_at(first, "a register, a variable or a constant as an address");
    }
  }
  result.kind = OperandKind::address;
}

}  // namespace heddle::ptx
