// Functions: headers, parameters, performance directives, and what happens before and after a body.
#include <utility>

#include "ptx/parser_impl.hpp"

namespace heddle::ptx {
namespace {

std::optional<Space> space_from_name(std::string_view word) {
  switch (directive_from_name(word)) {
    case Directive::global: return Space::global;
    case Directive::const_: return Space::constant;
    case Directive::shared: return Space::shared;
    case Directive::local: return Space::local;
    case Directive::param: return Space::param;
    default: return std::nullopt;
  }
}

}  // namespace

// After the linkage: .func (results) name (parameters) directives, then ';' or a body.
void Parser::function(Linkage linkage, bool is_entry) {
  begin_function();
  function_.linkage = linkage;
  function_.is_entry = is_entry;
  advance();
  bool managed = false;
  if (is_word("attribute")) variable_attributes(managed, function_.unified);
  if (!is_entry && is(TokenKind::left_paren))
    parameter_list(function_.returns, &function_.return_registers, NameKind::return_parameter);
  const Token name = token_;
  function_.name = expect_identifier("the name of the function");
  function_.line = name.line;
  const std::uint32_t hash = hash_text(name.text);
  Binding& binding = module_names_.insert(name.text, hash);
  if (binding.kind == NameKind::none) {
    binding = {NameKind::function, 0, static_cast<std::uint32_t>(module_.functions.size())};
    module_.functions.emplace_back().is_declaration = true;  // until this one is complete
    module_.functions.back().name = name.text;
    first_mention_ = true;
  } else if (binding.kind != NameKind::function) {
    fail_at(name, "a name that is not yet taken");
  }
  const std::uint32_t index = binding.index;
  if (is(TokenKind::left_paren))
    parameter_list(function_.parameters, &function_.parameter_registers, NameKind::parameter);
  function_directives();
  if (accept(TokenKind::semicolon)) {
    function_.is_declaration = true;
  } else if (is(TokenKind::left_brace)) {
    body();
    fix_labels();
    if (reorder_registers_) reorder_registers();
  } else if (is(TokenKind::word)) {
    function_.is_declaration = true;  // nvcc 4 wrote prototypes without a semicolon; at the end, a file is cut off
  } else {
    fail("'{' or ';'");
  }
  merge_function(index, name);
}

// (.param .b32 a, .reg .u32 b). `registers` is null for prototypes, which declare no names.
void Parser::parameter_list(std::vector<Variable>& list, std::vector<std::uint32_t>* registers, NameKind kind) {
  expect(TokenKind::left_paren);
  while (!is(TokenKind::right_paren)) {
    if (!is_word("param") && !is_word("reg")) fail("'.param', '.reg' or ')'");
    const bool is_register = is_word("reg");
    Variable variable = parameter();
    const Token name = token_;
    expect_identifier("the name of the parameter");
    dimensions(variable);
    check_size(variable, name);
    variable.line = name.line;
    if (is_register) {
      if (registers == nullptr) fail_at(name, "a '.param': registers are not supported in a prototype");
      if (!variable.dims.empty()) fail_at(name, "a register, which is no array");
      register_parameter(std::move(variable), name, list, *registers);
    } else {
      variable.name = name.text;
      if (registers != nullptr && name.text != "_") {
        variable.name = names_.unique(name.text);
        declare(name, kind, static_cast<std::uint32_t>(list.size()));
      }
      if (registers != nullptr && !registers->empty()) registers->push_back(Function::no_register);
      list.push_back(std::move(variable));
    }
    if (!accept(TokenKind::comma)) break;
  }
  expect(TokenKind::right_paren);
}

// A vector register becomes as many scalar parameters.
void Parser::register_parameter(Variable&& variable, const Token& name, std::vector<Variable>& list,
                                std::vector<std::uint32_t>& registers) {
  if (registers.empty()) registers.assign(list.size(), Function::no_register);
  const auto add = [&](std::uint32_t reg) {
    Variable& parameter = list.emplace_back(variable);
    parameter.vector = 1;
    parameter.name = function_.registers[reg].name;
    registers.push_back(reg);
  };
  if (variable.vector == 1) {
    const std::uint32_t reg = names_.make_register(name.text, variable.type);
    if (name.text != "_") declare(name, NameKind::reg, reg);
    return add(reg);
  }
  if (!names_.declare_vector(name.text, variable.type, variable.vector)) fail_at(name, "a name that is not yet taken");
  const std::uint32_t vector = names_.last_vector();
  for (unsigned i = 0; i < variable.vector; ++i) add(names_.component(vector, i));
}

// .param .align 8 .b8, .param .u64 .ptr .global .align 16, up to the name.
Variable Parser::parameter() {
  Variable variable;
  variable.space = Space::param;
  variable.type = Type::none;
  const bool is_register = is_word("reg");
  advance();
  while (is(TokenKind::word)) {
    switch (directive_from_name(token_.text)) {
      case Directive::align: variable.align = alignment(); continue;
      case Directive::ptr: pointer_attributes(variable); continue;
      case Directive::attribute: variable_attributes(variable.managed, variable.unified); continue;
      default: break;
    }
    if (is_word("v2") || is_word("v4")) {
      variable.vector = static_cast<std::uint8_t>(token_.text[1] - '0');
    } else if (const auto type = type_from_name(token_.text); type && variable.type == Type::none) {
      if (*type == Type::pred && !is_register) fail("a type that memory can hold");
      variable.type = *type;
    } else {
      fail("a type or the name of the parameter");
    }
    advance();
  }
  if (variable.type == Type::none) fail("a type");
  return variable;
}

void Parser::pointer_attributes(Variable& variable) {
  advance();
  variable.is_pointer = true;
  if (is(TokenKind::word)) {
    if (const auto space = space_from_name(token_.text)) {
      variable.pointer_space = *space;
      advance();
    }
  }
  if (is_word("align")) variable.pointer_align = alignment();
}

void Parser::function_directives() {
  while (is(TokenKind::word)) {
    if (is_word("noreturn")) {
      function_.noreturn = true;
      advance();
    } else if (is_word("pragma")) {
      for (std::string& text : pragma_strings()) function_.entry_pragmas.push_back(std::move(text));
    } else if (!performance_directive(function_.directives)) {
      return;
    }
  }
}

// .maxntid 128, 1, 1: a word and up to three numbers.
bool Parser::performance_directive(std::vector<FunctionDirective>& list) {
  unsigned most = 0;
  switch (directive_from_name(token_.text)) {
    case Directive::maxntid:
    case Directive::reqntid:
    case Directive::reqnctapercluster: most = 3; break;
    case Directive::minnctapersm:
    case Directive::maxnctapersm:
    case Directive::maxnreg:
    case Directive::maxclusterrank:
    case Directive::abi_preserve:
    case Directive::abi_preserve_control: most = 1; break;
    case Directive::blocksareclusters:
    case Directive::explicitcluster: break;
    default: return false;
  }
  FunctionDirective directive{std::string(token_.text), {}};
  advance();
  for (unsigned i = 0; i < most; ++i) {
    directive.values.push_back(static_cast<std::uint32_t>(unsigned_constant(0xFFFFFFFF, "a count")));
    if (i + 1 == most || !accept(TokenKind::comma)) break;
  }
  list.push_back(std::move(directive));
  return true;
}

void Parser::begin_function() {
  function_ = Function();
  first_mention_ = false;
  names_.begin(function_);
  label_users_.clear();
  reorder_registers_ = false;
  current_loc_ = 0;
}

// A function may be declared any number of times before it is defined; what Module::functions holds is the definition,
// at the place of the first declaration.
void Parser::merge_function(std::uint32_t index, const Token& name) {
  Function& known = module_.functions[index];
  if (!first_mention_) {
    if (known.is_entry != function_.is_entry) fail_at(name, "a name that is not yet taken");
    if (function_.is_declaration) return;
    if (!known.is_declaration) fail_at(name, "a function that is not defined before");
    if (function_.linkage == Linkage::internal && known.linkage != Linkage::external) function_.linkage = known.linkage;
  }
  known = std::move(function_);
}

}  // namespace heddle::ptx
