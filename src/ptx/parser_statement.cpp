// Function bodies: scopes, register declarations, labels, tables, instructions.
#include "ptx/keywords.hpp"
#include "ptx/parser_impl.hpp"

namespace heddle::ptx {
// Scopes may nest as deep as they like: they are counted, not recursed into.
void Parser::body() {
  expect(TokenKind::left_brace);
  for (;;) {
    switch (token_.kind) {
      case TokenKind::right_brace:
        if (names_.depth() == 1) {
          advance();
          return;
        }
        names_.close();
        advance();
        break;
      case TokenKind::left_brace:
        names_.open();
        advance();
        break;
      case TokenKind::word: function_directive_statement(); break;
      case TokenKind::at:
      case TokenKind::identifier: label_or_instruction(); break;
      case TokenKind::semicolon: advance(); break;
      default: fail("an instruction, a label, a directive or '}'");
    }
  }
}

void Parser::function_directive_statement() {
  VariableContext context{Space::global, Linkage::internal, true};
  switch (directive_from_name(token_.text)) {
    case Directive::reg: return register_statement();
    case Directive::global: return variable_statement(context);
    case Directive::const_: context.space = Space::constant; return variable_statement(context);
    case Directive::shared: context.space = Space::shared; return variable_statement(context);
    case Directive::local: context.space = Space::local; return variable_statement(context);
    case Directive::param: context.space = Space::param; return variable_statement(context);
    case Directive::loc: return loc_directive();
    case Directive::pragma:
      for (std::string& text : pragma_strings())
        function_.pragmas.push_back({std::move(text), static_cast<std::uint32_t>(function_.body.size())});
      return;
    case Directive::branchtargets:
    case Directive::calltargets:
    case Directive::callprototype: fail("a label before this directive");
    default: fail("a directive that may stand in a function, such as '.reg', '.shared' or '.loc'");
  }
}

// .reg .b32 %r<10>, a, b; and .reg .v4 .f32 v;
void Parser::register_statement() {
  advance();
  std::uint8_t width = 1;
  if (is_word("v2") || is_word("v4")) {
    width = static_cast<std::uint8_t>(token_.text[1] - '0');
    advance();
  }
  const auto type = is(TokenKind::word) ? type_from_name(token_.text) : std::nullopt;
  if (!type) fail("a type");
  advance();
  do {
    const Token name = token_;
    expect_identifier("the name of a register");
    bool is_new = false;
    if (accept(TokenKind::less)) {
      const std::uint64_t count = unsigned_constant(0xFFFFFFFF, "a number of registers");
      expect(TokenKind::greater);
      is_new = names_.declare_range(name.text, *type, width, count);
    } else {
      is_new = width > 1 ? names_.declare_vector(name.text, *type, width) : names_.declare_register(name.text, *type);
    }
    if (!is_new) fail_at(name, "a name that is not yet taken");
  } while (accept(TokenKind::comma));
  expect(TokenKind::semicolon);
}

// .loc file line column {, function_name label {+ offset}, inlined_at file line column}
void Parser::loc_directive() {
  constexpr std::uint64_t any = 0xFFFFFFFF;
  advance();
  Loc loc;
  loc.file = static_cast<std::uint32_t>(unsigned_constant(any, "a file number"));
  loc.line = static_cast<std::uint32_t>(unsigned_constant(any, "a line number"));
  loc.column = static_cast<std::uint32_t>(unsigned_constant(any, "a column"));
  while (accept(TokenKind::comma)) inlined_at(loc);
  if (function_.locs.empty() || function_.locs.back() != loc) function_.locs.push_back(std::move(loc));
  current_loc_ = static_cast<std::uint32_t>(function_.locs.size());
}

void Parser::inlined_at(Loc& loc) {
  constexpr std::uint64_t any = 0xFFFFFFFF;
  const std::string_view what = expect_identifier("'function_name' or 'inlined_at'");
  if (what == "function_name") {
    loc.function_name = expect_identifier("the label of a function's name");
    if (accept(TokenKind::plus)) loc.function_name += "+" + std::to_string(unsigned_constant(any, "an offset"));
  } else if (what == "inlined_at") {
    loc.inlined_file = static_cast<std::uint32_t>(unsigned_constant(any, "a file number"));
    loc.inlined_line = static_cast<std::uint32_t>(unsigned_constant(any, "a line number"));
    loc.inlined_column = static_cast<std::uint32_t>(unsigned_constant(any, "a column"));
  } else {
    fail("'inlined_at' with its file, line and column");
  }
}

void Parser::label_or_instruction() {
  if (is(TokenKind::identifier) && lexer_.peek_character() == ':') {
    const Token name = token_;
    advance();
    advance();
    if (is(TokenKind::word)) {
      switch (directive_from_name(token_.text)) {
        case Directive::branchtargets:
        case Directive::calltargets:
        case Directive::callprototype: return table_statement(name);
        default: break;
      }
    }
    return label_definition(name);
  }
  instruction();
}

void Parser::label_definition(const Token& name) {
  if (!names_.define_label(label(name))) fail_at(name, "a name that is not yet taken");
}

void Parser::table_statement(const Token& name) {
  Table table;
  table.name = names_.unique(name.text);
  table.position = static_cast<std::uint32_t>(function_.body.size());
  const Directive directive = directive_from_name(token_.text);
  table.kind = directive == Directive::branchtargets ? Table::Kind::branch_targets
               : directive == Directive::calltargets ? Table::Kind::call_targets
                                                     : Table::Kind::call_prototype;
  advance();
  if (table.kind == Table::Kind::call_prototype) {
    call_prototype(table);
  } else {
    table_targets(table);
  }
  expect(TokenKind::semicolon);
  declare(name, NameKind::table, static_cast<std::uint32_t>(function_.tables.size()));
  function_.tables.push_back(std::move(table));
}

void Parser::table_targets(Table& table) {
  do {
    const Token target = token_;
    expect_identifier(table.kind == Table::Kind::branch_targets ? "a label" : "a function");
    if (table.kind == Table::Kind::branch_targets) {
      table.targets.push_back(label(target));  // patched at the end of the function
    } else {
      const FunctionNames::Found found = names_.find(target.text);
      if (found.kind != NameKind::function) fail_at(target, "a function that is declared before");
      table.targets.push_back(found.index);
    }
  } while (accept(TokenKind::comma));
}

// .callprototype (results) _ (parameters) .noreturn
void Parser::call_prototype(Table& table) {
  if (is(TokenKind::left_paren)) parameter_list(table.returns, nullptr, NameKind::none);
  if (!is(TokenKind::identifier) || token_.text != "_") fail("'_'");
  advance();
  if (is(TokenKind::left_paren)) parameter_list(table.parameters, nullptr, NameKind::none);
  while (is(TokenKind::word)) {
    if (is_word("noreturn")) {
      table.noreturn = true;
      advance();
    } else if (!performance_directive(table.directives)) {
      fail("'.noreturn', '.abi_preserve' or ';'");
    }
  }
}

void Parser::instruction() {
  Instruction& inst = function_.body.emplace_back();
  inst.where.line = token_.line;
  inst.where.column = token_.column;
  if (is(TokenKind::at)) guard(inst.guard);
  inst.where.loc = current_loc_;
  const auto opcode = is(TokenKind::identifier) ? opcode_from_name(token_.text) : std::nullopt;
  if (!opcode) fail("an instruction");
  inst.opcode = *opcode;
  advance();
  modifiers(inst);
  operand_list(inst);
  expect(TokenKind::semicolon);
  unwrap_scalars(inst);
  if (is_vector_move(inst)) return vector_move();
  if (const auto error = resolve(inst, written_))
    throw_error(error->line, error->column, error->found, error->expected);
  for (const Operand& operand : inst.operands) {
    if (operand.kind != OperandKind::label) continue;
    label_users_.push_back(static_cast<std::uint32_t>(function_.body.size() - 1));
    break;
  }
  if (has_register_offset_) add_register_offsets();
}

// @p or @!p
void Parser::guard(Guard& guard) {
  advance();
  guard.present = true;
  guard.negated = accept(TokenKind::exclamation);
  const Token name = token_;
  if (!is(TokenKind::identifier)) fail("a predicate register");
  const FunctionNames::Found found = names_.find(name.text);
  if (found.kind != NameKind::reg || function_.registers[found.index].type != Type::pred)
    fail_at(name, "a predicate register");
  guard.reg = found.index;
  advance();
}

void Parser::modifiers(Instruction& inst) {
  for (; is(TokenKind::word); advance()) {
    const auto modifier = modifier_from_name(token_.text);
    if (!modifier) fail("a suffix of '" + std::string(name(inst.opcode)) + "'");
    if (*modifier == Modifier::unified)
      fail("a suffix of '" + std::string(name(inst.opcode)) + "' ('.unified' stands behind the address)");
    if (!inst.modifiers.push_back(*modifier)) fail("fewer suffixes");
  }
}

void Parser::operand_list(Instruction& inst) {
  written_.clear();
  opcode_ = inst.opcode;
  has_register_offset_ = false;
  if (is(TokenKind::semicolon)) return;
  bool joined = false;
  for (;;) {
    WrittenOperand& written = written_.emplace_back();
    written.joined = joined;
    written.line = token_.line;
    written.column = token_.column;
    written.text = token_.text;
    if (is(TokenKind::left_paren) && inst.opcode == Opcode::call) {
      written.parenthesised = true;
      vector_operand(written.operand, TokenKind::right_paren);
    } else {
      operand(written.operand);
      if (written.operand.kind == OperandKind::address && is_word("unified")) {
        if (!inst.modifiers.push_back(Modifier::unified)) fail("fewer suffixes");
        advance();
      }
    }
    joined = is(TokenKind::pipe);
    if (!joined && !is(TokenKind::comma)) return;
    advance();
  }
}

// Provisional label numbers to those of Function::labels.
void Parser::fix_labels() {
  if (const FunctionNames::Label* missing = names_.undefined_label())
    fail_at(missing->line, missing->column, missing->name, "a label that is defined in this function");
  for (std::uint32_t user : label_users_)
    for (Operand& operand : function_.body[user].operands)
      if (operand.kind == OperandKind::label) operand.index = names_.resolved(operand.index);
  for (Table& table : function_.tables)
    if (table.kind == Table::Kind::branch_targets)
      for (std::uint32_t& target : table.targets) target = names_.resolved(target);
}

}  // namespace heddle::ptx
