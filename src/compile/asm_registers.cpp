#include "compile/asm_registers.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "compile/source_edits.hpp"
#include "compile/source_tokens.hpp"

namespace heddle::compile {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether a % before this text, which begins with a letter, belongs to the name of a register.
bool is_name(std::string_view text) {
  return text.size() < 2 || (std::isdigit(static_cast<unsigned char>(text[1])) == 0 && text[1] != '[');
}

class Statements {
 public:
  explicit Statements(std::string_view source) : source_(source), tokens_(source_tokens(source, true)) {}

  std::optional<std::string> doubled() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is("#") && i + 2 < tokens_.size() && tokens_[i + 1].is("define")) definition(i + 2);
      if (is_asm(tokens_[i])) statement(i + 1);
    }
    std::ranges::sort(places_);
    places_.erase(std::ranges::unique(places_).begin(), places_.end());
    SourceEdits edits(source_);
    for (const std::size_t place : places_) edits.insert(place, "%");
    return edits.made();
  }

 private:
  bool is_asm(const SourceToken& token) const {
    return token.is("asm") || token.is("__asm__") || token.is("__asm") || macros_.contains(token.text);
  }

  // A macro that stands for asm, or for the text of one: which has operands, as no text of printf has.
  void definition(std::size_t name) {
    const SourceToken& of = tokens_[name];
    const auto is_in = [&](std::size_t i) { return i < tokens_.size() && tokens_[i].directive == of.directive; };
    const bool takes_arguments = is_in(name + 1) && tokens_[name + 1].text.data() == of.text.data() + of.text.size();
    if (is_in(name + 1) && !takes_arguments && is_asm(tokens_[name + 1])) macros_.insert(of.text);
    for (std::size_t i = name + 1; is_in(i); ++i)
      if (tokens_[i].kind == SourceToken::Kind::text && has_operand(tokens_[i].text)) find_names(tokens_[i], false);
  }

  static bool has_operand(std::string_view text) {
    for (std::size_t at = text.find('%'); at < text.size() - 1; at = text.find('%', at + 1)) {
      const bool number = std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0;
      const char behind = at + 2 < text.size() ? text[at + 2] : '\0';
      if (number && (behind == ',' || behind == ';' || behind == ']')) return true;
    }
    return false;
  }

  // What is behind `asm`. Texts come before the first colon.
  void statement(std::size_t i) {
    while (i < tokens_.size() && tokens_[i].is_word()) ++i;  // volatile
    if (i == tokens_.size() || !tokens_[i].is("(")) return;
    std::vector<std::size_t> texts;
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      const SourceToken& token = tokens_[i];
      if (token.kind == SourceToken::Kind::text) texts.push_back(i);
      if (token.is("(")) ++depth;
      if (token.is(")") && --depth == 0) return;  // no operands: a % is nothing special
      if (depth == 1 && (token.is(":") || token.is("::"))) break;
    }
    if (i == tokens_.size()) return;
    for (const std::size_t text : texts) find_names(tokens_[text], tokens_[text + 1].is("#"));
  }

  // `pasted`: a name that a macro is given follows, as in "mov.u32 %0, %" #name ";".
  void find_names(const SourceToken& token, bool pasted) {
    const std::string_view text = token.text;
    const std::size_t begin = token.place_in(source_);
    if (pasted && text.ends_with("%\"") && !text.ends_with("%%\"")) places_.push_back(begin + text.size() - 2);
    for (std::size_t at = text.find('%'); at < text.size() - 1; at = text.find('%', at + 1)) {
      if (text[at + 1] == '%')
        ++at;
      else if (is_letter(text[at + 1]) && is_name(text.substr(at + 1)))
        places_.push_back(begin + at);
    }
  }

  const std::string_view source_;
  const std::vector<SourceToken> tokens_;
  std::set<std::string_view> macros_;  // that stand for asm
  std::vector<std::size_t> places_;    // of signs that get another one
};

// Most sources have no asm, and most asm has two.
bool may_have_names(std::string_view source) {
  if (source.find("asm") == source.npos) return false;
  for (std::size_t at = source.find('%'); at < source.size() - 1; at = source.find('%', at + 1)) {
    if (source[at + 1] == '%')
      ++at;
    else if (is_letter(source[at + 1]) || source[at + 1] == '"')
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
