// Variables and their initialisers.
#include <algorithm>
#include <bit>

#include "ptx/parser_impl.hpp"

namespace heddle::ptx {
namespace {

constexpr std::size_t most_dimensions = 32;
constexpr std::uint64_t largest_variable = std::uint64_t{1} << 48;  // bytes; above what any address reaches
constexpr std::uint64_t most_padding = std::uint64_t{1} << 20;      // elements in one module
constexpr std::uint64_t longest_name_range = std::uint64_t{1} << 16;
constexpr std::uint64_t largest_alignment = std::uint64_t{1} << 30;

std::optional<std::uint8_t> vector_width(std::string_view word) {
  if (word == "v2") return 2;
  if (word == "v4") return 4;
  if (word == "v8") return 8;
  return std::nullopt;
}

// Truncated to the width of `type` and extended again as its signedness says.
std::uint64_t fit_integer(std::uint64_t bits, Type type) {
  const unsigned width = bit_width(type);
  if (width == 0 || width >= 64) return bits;
  const unsigned shift = 64 - width;
  const auto moved = bits << shift;
  return is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(moved) >> shift) : moved >> shift;
}

}  // namespace

// .global .align 4 .f32 name[4] = {...}, other;
void Parser::variable_statement(const VariableContext& context) {
  const Variable prefix = variable_prefix(context);
  do {
    variable_rest(prefix, context);
  } while (accept(TokenKind::comma));
  expect(TokenKind::semicolon);
}

Variable Parser::variable_prefix(const VariableContext& context) {
  Variable variable;
  variable.space = context.space;
  variable.linkage = context.linkage;
  const bool is_tex = token_.text == "tex";
  advance();
  while (is(TokenKind::word)) {
    const Directive directive = directive_from_name(token_.text);
    if (directive == Directive::align) {
      variable.align = alignment();
    } else if (directive == Directive::attribute) {
      variable_attributes(variable.managed, variable.unified);
    } else if (const auto width = vector_width(token_.text)) {
      variable.vector = *width;
      advance();
    } else if (const auto type = type_from_name(token_.text)) {
      if (*type == Type::pred) fail("a type that memory can hold");
      variable.type = is_tex ? Type::texref : *type;  // .tex .u64 t is .global .texref t
      advance();
      if (is(TokenKind::identifier)) return variable;
    } else {
      fail("a type");
    }
  }
  fail("a type and a name");
}

void Parser::variable_rest(Variable variable, const VariableContext& context) {
  const Token name = token_;
  if (!is(TokenKind::identifier)) fail("the name of a variable");
  advance();
  if (is(TokenKind::less)) return variable_range(variable, context, name);
  dimensions(variable);
  if (is(TokenKind::equals)) {
    if (context.linkage == Linkage::external) fail("';': an external variable has no initialiser");
    advance();
    initialiser(variable);
  }
  check_size(variable, name);
  add_variable(std::move(variable), context, name);
}

// .shared .u32 name<4>: four variables.
void Parser::variable_range(const Variable& variable, const VariableContext& context, const Token& name) {
  advance();
  const std::uint64_t count = unsigned_constant(longest_name_range, "at most 65536 variables");
  expect(TokenKind::greater);
  for (std::uint64_t i = 0; i < count; ++i) {
    // The binding needs a view that lives as long as the parse.
    const std::string_view made = made_names_.emplace_back(std::string(name.text) + std::to_string(i));
    Token token = name;
    token.text = made;
    add_variable(Variable(variable), context, token);
  }
}

void Parser::add_variable(Variable&& variable, const VariableContext& context, const Token& name) {
  variable.line = name.line;
  const std::uint32_t hash = hash_text(name.text);
  if (context.in_function) {
    variable.name = names_.unique(name.text);
    declare(name, NameKind::local_variable, static_cast<std::uint32_t>(function_.variables.size()));
    function_.variables.push_back(std::move(variable));
    return;
  }
  variable.name = name.text;
  Binding& binding = module_names_.insert(name.text, hash);
  if (binding.kind == NameKind::none) {
    binding = {NameKind::module_variable, 0, static_cast<std::uint32_t>(module_.variables.size())};
    module_.variables.push_back(std::move(variable));
    return;
  }
  if (binding.kind != NameKind::module_variable) fail_at(name, "a name that is not yet taken");
  // One of the two may be a mere declaration.
  Variable& first = module_.variables[binding.index];
  if (variable.linkage == Linkage::external) return;
  if (first.linkage != Linkage::external) fail_at(name, "a name that is not yet taken");
  // The definition takes the place of the declaration, so it can name only what stands before that.
  for (const InitValue& value : variable.init)
    if (value.kind != InitValue::Kind::integer && value.kind != InitValue::Kind::real &&
        value.symbol.kind == SymbolRef::Kind::module_variable && value.symbol.index >= binding.index)
      fail_at(name, "an initialiser that names only variables declared before the first declaration of this one");
  first = std::move(variable);
}

// .attribute(.managed, .unified(1, 2))
void Parser::variable_attributes(bool& managed, std::optional<std::array<std::uint64_t, 2>>& unified) {
  advance();
  expect(TokenKind::left_paren);
  do {
    if (is_word("managed")) {
      managed = true;
      advance();
    } else if (is_word("unified")) {
      advance();
      expect(TokenKind::left_paren);
      std::array<std::uint64_t, 2> id{};
      id[0] = unsigned_constant(~std::uint64_t{0}, "the upper half of a uuid");
      expect(TokenKind::comma);
      id[1] = unsigned_constant(~std::uint64_t{0}, "the lower half of a uuid");
      expect(TokenKind::right_paren);
      unified = id;
    } else {
      fail("'.managed' or '.unified'");
    }
  } while (accept(TokenKind::comma));
  expect(TokenKind::right_paren);
}

std::uint32_t Parser::alignment() {
  advance();
  const Token number = token_;
  const std::uint64_t value = unsigned_constant(largest_alignment, "a power of two");
  if (!std::has_single_bit(value)) fail_at(number, "a power of two");
  return static_cast<std::uint32_t>(value);
}

void Parser::dimensions(Variable& variable) {
  while (accept(TokenKind::left_bracket)) {
    if (variable.dims.size() == most_dimensions) fail("at most 32 dimensions");
    const Token first = token_;
    if (is(TokenKind::right_bracket)) {
      if (!variable.dims.empty()) fail("a size: only the first dimension may be left open");
      variable.dims.push_back(0);
    } else {
      const Constant size = constant();
      if (size.is_real() || size.bits > largest_variable) fail_at(first, "an array size that memory can hold");
      variable.dims.push_back(size.bits);
    }
    expect(TokenKind::right_bracket);
  }
}

void Parser::check_size(const Variable& variable, const Token& name) const {
  std::uint64_t bytes = std::uint64_t{byte_size(variable.type)} * variable.vector;
  for (std::uint64_t dim : variable.dims) {
    if (dim != 0 && bytes > largest_variable / dim) fail_at(name, "a variable that memory can hold");
    bytes *= std::max<std::uint64_t>(dim, 1);
  }
}

void Parser::initialiser(Variable& variable) {
  if (kind(variable.type) == TypeKind::opaque && variable.dims.empty()) return opaque_initialiser(variable);
  std::vector<std::uint64_t> dims = variable.dims;
  if (variable.vector > 1) dims.push_back(variable.vector);
  if (dims.empty()) {
    const bool braces = accept(TokenKind::left_brace);
    variable.init.push_back(init_value(variable));
    if (braces) expect(TokenKind::right_brace);
    return;
  }
  initialiser_list(variable, dims, 0, 0);
}

// The list of `level` begins at element `base` of the flattened array. Inner lists that are short are filled up when
// something follows them, so that a huge array with few elements stays small.
void Parser::initialiser_list(Variable& variable, const std::vector<std::uint64_t>& dims, std::size_t level,
                              std::uint64_t base) {
  std::uint64_t stride = 1;
  for (std::size_t i = level + 1; i < dims.size(); ++i) {
    if (dims[i] == 0 || stride > largest_variable / dims[i]) fail("'=' only after dimensions that memory can hold");
    stride *= dims[i];
  }
  if (!is(TokenKind::left_brace)) fail("'{'");
  advance();
  std::uint64_t count = 0;
  while (!is(TokenKind::right_brace)) {
    const bool open_ended = level == 0 && variable.unsized();
    if (!open_ended && count == dims[level]) fail("'}': the initialiser has more elements than the array");
    pad_initialiser(variable, base + count * stride);
    if (level + 1 == dims.size()) {
      variable.init.push_back(init_value(variable));
    } else {
      initialiser_list(variable, dims, level + 1, base + count * stride);
    }
    ++count;
    if (!accept(TokenKind::comma)) break;
  }
  expect(TokenKind::right_brace);
  if (level == 0 && variable.unsized()) variable.dims[0] = count;
}

void Parser::pad_initialiser(Variable& variable, std::uint64_t size) {
  if (size <= variable.init.size()) return;
  const std::uint64_t zeros = size - variable.init.size();
  if (zeros > most_padding - padded_) fail("initialisers with fewer elements left out in the middle");
  padded_ += zeros;
  InitValue zero;
  if (is_float(variable.type)) zero.kind = InitValue::Kind::real;
  variable.init.resize(size, zero);
}

// {addr_mode_0 = wrap, filter_mode = linear}
void Parser::opaque_initialiser(Variable& variable) {
  expect(TokenKind::left_brace);
  while (!is(TokenKind::right_brace)) {
    OpaqueField field;
    field.name = expect_identifier("the name of a field");
    expect(TokenKind::equals);
    if (!is(TokenKind::identifier) && !is(TokenKind::integer)) fail("a value for the field");
    field.value = token_.text;
    advance();
    variable.opaque_init.push_back(std::move(field));
    if (!accept(TokenKind::comma)) break;
  }
  expect(TokenKind::right_brace);
}

// A number, symbol, generic(symbol), or 0xFF00(symbol): some bytes of an address.
InitValue Parser::init_value(const Variable& variable) {
  if (is(TokenKind::identifier) && token_.text != "WARP_SZ") return init_symbol();
  const Token first = token_;
  InitValue value;
  if (is(TokenKind::integer) && lexer_.peek_character() == '(') {
    value.mask = primary().bits;
    if (value.mask == 0) fail_at(first, "a mask that selects a byte");
    const std::uint64_t mask = value.mask;
    expect(TokenKind::left_paren);
    value = init_symbol();
    value.mask = mask;
    expect(TokenKind::right_paren);
    return value;
  }
  const Constant number = constant();
  if (is_float(variable.type)) {
    value.kind = InitValue::Kind::real;
    if (variable.type != Type::f32 && variable.type != Type::f64) fail_at(first, "an initialised .f32 or .f64");
    if (variable.type == Type::f64) {
      value.bits = number.kind == Constant::Kind::f64 ? number.bits : Constant::real(number.as_double()).bits;
    } else {
      value.bits = number.kind == Constant::Kind::f32
                       ? number.bits
                       : std::bit_cast<std::uint32_t>(static_cast<float>(number.as_double()));
    }
  } else {
    if (number.is_real()) fail_at(first, "an integer, as the variable's type says");
    value.bits = fit_integer(number.bits, variable.type);
  }
  return value;
}

InitValue Parser::init_symbol() {
  InitValue value;
  Token name = token_;
  value.kind = InitValue::Kind::symbol;
  expect_identifier("a variable or function");
  if (name.text == "generic" && accept(TokenKind::left_paren)) {
    value.kind = InitValue::Kind::generic_symbol;
    name = token_;
    expect_identifier("a variable");
    expect(TokenKind::right_paren);
  }
  const FunctionNames::Found found = names_.find(name.text);
  switch (found.kind) {
    case NameKind::module_variable: value.symbol = {SymbolRef::Kind::module_variable, found.index}; break;
    case NameKind::function: value.symbol = {SymbolRef::Kind::function, found.index}; break;
    case NameKind::local_variable: value.symbol = {SymbolRef::Kind::local_variable, found.index}; break;
    default: fail_at(name, "a variable or function that is declared before");
  }
  value.offset = symbol_offset();
  return value;
}

std::int64_t Parser::symbol_offset() {
  std::uint64_t offset = 0;
  while (is(TokenKind::plus) || is(TokenKind::minus)) {
    const bool negative = is(TokenKind::minus);
    advance();
    const Token first = token_;
    const Constant term = constant_sum_term();
    if (term.is_real()) fail_at(first, "an integer offset");
    offset += negative ? 0 - term.bits : term.bits;
  }
  return static_cast<std::int64_t>(offset);
}

}  // namespace heddle::ptx
