#include "compile/asm_registers.hpp"

#include <cctype>
#include <vector>

#include "compile/source_tokens.hpp"

namespace heddle::compile {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether a % before this text, which begins with a letter, belongs to the name of a register.
bool is_name(std::string_view text) {
  return text.size() < 2 || std::isdigit(static_cast<unsigned char>(text[1])) == 0;
}

class Statements {
 public:
  explicit Statements(std::string_view source) : source_(source), tokens_(source_tokens(source, true)) {}

  std::optional<std::string> doubled() {
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (tokens_[i].is("asm") || tokens_[i].is("__asm__") || tokens_[i].is("__asm")) statement(i + 1);
    if (places_.empty()) return {};
    std::string made;
    std::size_t from = 0;
    for (const std::size_t place : places_) {
      made += source_.substr(from, place - from);
      made += '%';
      from = place;
    }
    return made += source_.substr(from);
  }

 private:
  // What is behind `asm`. Texts come before the first colon.
  void statement(std::size_t i) {
    while (i < tokens_.size() && tokens_[i].is_word()) ++i;  // volatile
    if (i == tokens_.size() || !tokens_[i].is("(")) return;
    std::vector<std::string_view> texts;
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      const SourceToken& token = tokens_[i];
      if (token.kind == SourceToken::Kind::text) texts.push_back(token.text);
      if (token.is("(")) ++depth;
      if (token.is(")") && --depth == 0) return;  // no operands: a % is nothing special
      if (depth == 1 && (token.is(":") || token.is("::"))) break;
    }
    if (i == tokens_.size()) return;
    for (const std::string_view text : texts) find_names(text);
  }

  void find_names(std::string_view text) {
    const auto begin = static_cast<std::size_t>(text.data() - source_.data());
    for (std::size_t at = text.find('%'); at < text.size() - 1; at = text.find('%', at + 1)) {
      if (text[at + 1] == '%')
        ++at;
      else if (is_letter(text[at + 1]) && is_name(text.substr(at + 1)))
        places_.push_back(begin + at);
    }
  }

  const std::string_view source_;
  const std::vector<SourceToken> tokens_;
  std::vector<std::size_t> places_;  // of signs that get another one, ascending
};

// Most sources have no asm, and most asm has two.
bool may_have_names(std::string_view source) {
  if (source.find("asm") == source.npos) return false;
  for (std::size_t at = source.find('%'); at < source.size() - 1; at = source.find('%', at + 1)) {
    if (source[at + 1] == '%')
      ++at;
    else if (is_letter(source[at + 1]))
      return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> with_doubled_percents(std::string_view source) {
  if (!may_have_names(source)) return {};
  return Statements(source).doubled();
}

}  // namespace heddle::compile
