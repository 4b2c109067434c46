#include "ptx/parser.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/dedicated_thread.hpp"
#include "heddle/error.hpp"
#include "ptx/parser_impl.hpp"

namespace heddle::ptx {
namespace {

// The versions of the instruction set that there have been, as far as the forms of instructions are known here: the
// last minor version of each major one, from 1.
constexpr unsigned last_minor[] = {5, 3, 2, 3, 0, 5, 8, 8, 0};

// Later versions of the last major one are read, too. They add instructions, and one that is not known here is refused
// where it stands; compilers, such as NVRTC, name the version of their toolkit whatever they use of it.
constexpr unsigned last_readable_minor = 9;

bool is_known_version(unsigned major, unsigned minor) {
  if (major == std::size(last_minor)) return minor <= last_readable_minor;
  return major >= 1 && major < std::size(last_minor) && minor <= last_minor[major - 1];
}

std::string known_versions() {
  std::string text = "a PTX version that Heddle knows: ";
  for (unsigned i = 0; i < std::size(last_minor); ++i) {
    const std::string major = std::to_string(i + 1) + ".";
    text.append(i == 0 ? "" : ", ").append(major).append("0");
    if (last_minor[i] != 0) text.append(" to ").append(major).append(std::to_string(last_minor[i]));
  }
  text += " and, as far as nothing newer is used, later ones to ";
  text += std::to_string(std::size(last_minor)) + '.' + std::to_string(last_readable_minor);
  return text;
}

// The token as it goes into a message: short, and printable whatever the text holds.
std::string printable(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result;
  for (char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      result += c;
    } else {
      constexpr char digits[] = "0123456789abcdef";
      result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text.size() > longest ? result + "..." : result;
}

}  // namespace

Module parse(std::string_view text, std::string_view file_name) {
  Module module;
  base::run_with_usual_stack([&] { module = Parser(text, file_name).run(); });
  return module;
}

Parser::Parser(std::string_view text, std::string_view file_name)
    : lexer_(text), file_name_(file_name), names_(module_names_, text.size()) {}

Module Parser::run() {
  advance();
  if (!is_word("version")) fail("'.version', with which every PTX module begins");
  version_directive();
  if (!is_word("target")) fail("'.target'");
  while (!is(TokenKind::end)) module_statement();
  if (!has_address_size_ && !has_address_size_directive(module_)) module_.address_size = used_address_size(module_);
  rename_clashes();
  return std::move(module_);
}

bool Parser::accept(TokenKind kind) {
  if (!is(kind)) return false;
  advance();
  return true;
}

void Parser::expect(TokenKind kind) {
  if (!accept(kind)) fail(describe(kind));
}

std::string_view Parser::expect_identifier(std::string_view what) {
  if (!is(TokenKind::identifier)) fail(what);
  const std::string_view text = token_.text;
  advance();
  return text;
}

std::string_view Parser::expect_string(std::string_view what) {
  if (!is(TokenKind::string)) fail(what);
  const std::string_view text = token_.text;
  advance();
  return text;
}

void Parser::fail_at(const Token& token, std::string_view expected) const {
  switch (token.kind) {
    case TokenKind::end: fail_at(token.line, token.column, "", expected);
    case TokenKind::word: fail_at(token.line, token.column, "." + std::string(token.text), expected);
    case TokenKind::string: fail_at(token.line, token.column, "\"" + std::string(token.text) + "\"", expected);
    default: fail_at(token.line, token.column, token.text, expected);
  }
}

void Parser::fail_at(std::uint32_t line, std::uint32_t column, std::string_view found,
                     std::string_view expected) const {
  throw_error(line, column, found.empty() ? "the end of the text" : "'" + printable(found) + "'", expected);
}

void Parser::throw_error(std::uint32_t line, std::uint32_t column, std::string_view found,
                         std::string_view expected) const {
  std::string message(file_name_);
  message += ":" + std::to_string(line) + ":" + std::to_string(column) + ": found ";
  message += found;
  message += ", expected ";
  message += expected;
  throw Error(ErrorCode::parse_error, message);
}

void Parser::module_statement() {
  if (!is(TokenKind::word)) fail("a directive such as '.visible', '.entry', '.func' or '.global'");
  switch (directive_from_name(token_.text)) {
    case Directive::target: return target_directive();
    case Directive::address_size: {
      advance();
      has_address_size_ = true;
      const Token number = token_;
      module_.address_size = static_cast<unsigned>(unsigned_constant(64, "32 or 64"));
      if (module_.address_size != 32 && module_.address_size != 64) fail_at(number, "32 or 64");
      return;
    }
    case Directive::file: return file_directive();
    case Directive::section: return section_directive();
    case Directive::pragma:
      for (std::string& text : pragma_strings()) module_.module_pragmas.push_back(std::move(text));
      return;
    case Directive::alias: return alias_directive();
    default: return linkage_statement();
  }
}

void Parser::version_directive() {
  advance();
  const std::string_view text = token_.text;
  const std::size_t dot = text.find('.');
  const auto number = [](std::string_view digits, unsigned& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value < 100;
  };
  if (!is(TokenKind::real) || dot == text.npos || !number(text.substr(0, dot), module_.version_major) ||
      !number(text.substr(dot + 1), module_.version_minor))
    fail("a PTX version such as 8.0");
  if (!is_known_version(module_.version_major, module_.version_minor)) fail(known_versions());
  advance();
}

namespace {

// sm_80, sm_90a, sm_100f, or a word that goes with one.
bool is_target(std::string_view text) {
  for (const std::string_view word : {"debug", "map_f64_to_f32", "texmode_unified", "texmode_independent"})
    if (text == word) return true;
  if (!text.starts_with("sm_")) return false;
  text.remove_prefix(3);
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) text.remove_suffix(1);
  return !text.empty() && text.size() <= 3 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void Parser::target_directive() {
  advance();
  do {
    if (!is_target(token_.text)) fail("a target such as sm_80");
    module_.targets.emplace_back(expect_identifier("a target such as sm_80"));
  } while (accept(TokenKind::comma));
}

void Parser::file_directive() {
  advance();
  SourceFile file;
  file.index = static_cast<std::uint32_t>(unsigned_constant(0xFFFFFFFF, "a file number"));
  file.name = expect_string("a file name in quotes");
  if (accept(TokenKind::comma)) {
    file.timestamp = unsigned_constant(~std::uint64_t{0}, "a time stamp");
    if (accept(TokenKind::comma)) file.size = unsigned_constant(~std::uint64_t{0}, "a file size");
  }
  module_.files.push_back(std::move(file));
}

// Debug information is kept as it was written; it names labels and functions, which keep their names too.
void Parser::section_directive() {
  const char* begin = token_.begin;
  advance();
  if (!is(TokenKind::word) && !is(TokenKind::identifier) && !is(TokenKind::string)) fail("the name of a section");
  advance();
  if (!is(TokenKind::left_brace)) fail("'{'");
  const std::string_view block = lexer_.raw_block(token_);
  if (block.empty()) fail("a section with a closing '}'");
  module_.sections.append(begin, static_cast<std::size_t>(block.data() + block.size() - begin));
  module_.sections += '\n';
  advance();
}

void Parser::alias_directive() {
  advance();
  Alias alias;
  alias.name = expect_identifier("the name of the alias");
  expect(TokenKind::comma);
  alias.target = expect_identifier("the function that the alias stands for");
  expect(TokenKind::semicolon);
  module_.aliases.push_back(std::move(alias));
}

std::vector<std::string> Parser::pragma_strings() {
  advance();
  std::vector<std::string> result;
  do {
    result.emplace_back(expect_string("a pragma in quotes"));
  } while (accept(TokenKind::comma));
  expect(TokenKind::semicolon);
  return result;
}

void Parser::linkage_statement() {
  Linkage linkage = Linkage::internal;
  bool written = false;
  for (;; written = true) {
    if (!is(TokenKind::word)) fail("a function or a variable");
    const Directive directive = directive_from_name(token_.text);
    VariableContext context{Space::global, linkage, false};
    switch (directive) {
      case Directive::extern_: linkage = Linkage::external; break;
      case Directive::visible: linkage = Linkage::visible; break;
      case Directive::weak: linkage = Linkage::weak; break;
      case Directive::common: linkage = Linkage::common; break;
      case Directive::func: return function(linkage, false);
      case Directive::entry: return function(linkage, true);
      case Directive::global: return variable_statement(context);
      case Directive::tex: return variable_statement(context);
      case Directive::const_: context.space = Space::constant; return variable_statement(context);
      case Directive::shared: context.space = Space::shared; return variable_statement(context);
      case Directive::reg:
      case Directive::local:
      case Directive::param:
        fail("a variable in .global, .const or .shared space; this space exists in functions only");
      default: fail("a directive such as '.visible', '.entry', '.func' or '.global'");
    }
    if (written) fail("one linkage directive only");
    advance();
  }
}

void Parser::declare(const Token& name, NameKind kind, std::uint32_t index) {
  if (!names_.declare(name.text, kind, index)) fail_at(name, "a name that is not yet taken");
}

std::uint32_t Parser::label(const Token& name) {
  const std::uint32_t index = names_.label(name.text, name.line, name.column);
  if (index == FunctionNames::no_label) fail_at(name, "a label");
  return index;
}

// Module-level names that come later in the text, or are hidden in some inner scope only, must not be hidden in the
// flattened functions.
void Parser::rename_clashes() {
  const auto clashes = [&](const std::string& name) {
    const Binding* found = module_names_.find(name, hash_text(name));
    return found != nullptr && found->kind != NameKind::none;
  };
  for (Function& function : module_.functions) {
    const auto each_name = [&](auto&& f) {
      for (Variable& v : function.returns) f(v.name);
      for (Variable& v : function.parameters) f(v.name);
      for (Register& r : function.registers) f(r.name);
      for (Variable& v : function.variables) f(v.name);
      for (Label& l : function.labels) f(l.name);
      for (Table& t : function.tables) f(t.name);
    };
    bool any = false;
    each_name([&](const std::string& name) { any = any || clashes(name); });
    if (!any) continue;
    UniqueNames unique;
    each_name([&](const std::string& name) { unique.take(name, hash_text(name)); });
    each_name([&](std::string& name) {
      if (!clashes(name)) return;
      std::string_view fresh;
      do fresh = unique.take(name, hash_text(name));
      while (clashes(std::string(fresh)));
      name = fresh;
    });
  }
}

}  // namespace heddle::ptx
