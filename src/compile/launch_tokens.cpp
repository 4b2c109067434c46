#include "compile/launch_tokens.hpp"

#include <algorithm>
#include <vector>

#include "compile/source_tokens.hpp"

namespace heddle::compile {
namespace {

class Launches {
 public:
  explicit Launches(std::string_view source) : source_(source), tokens_(source_tokens(source, true)) {}

  std::optional<std::string> joined() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      // operator<< <T>(a, b) names a function.
      if (!are_three(i, "<") || (i > 0 && tokens_[i - 1].is("operator"))) continue;
      join(i, " <<<");
      if (const std::optional<std::size_t> end = end_of(i + 3)) join(*end, ">>> ");
      i += 2;
    }
    return std::move(made_);
  }

 private:
  std::size_t place(std::size_t i) const { return tokens_[i].place_in(source_); }

  // Whether three signs follow each other, with nothing but blanks between them.
  bool are_three(std::size_t i, std::string_view sign) const {
    if (i + 2 >= tokens_.size()) return false;
    for (std::size_t k = i; k < i + 3; ++k)
      if (!tokens_[k].is(sign)) return false;
    const std::string_view between = source_.substr(place(i), place(i + 2) - place(i));
    const bool two_touch = place(i) + 1 == place(i + 1) || place(i + 1) + 1 == place(i + 2);
    return two_touch && between.find_first_not_of(std::string(sign) + " \t") == between.npos;
  }

  // The signs that end the launch whose arguments begin at `i`: the first three outside of parentheses, before those of
  // the kernel's arguments.
  std::optional<std::size_t> end_of(std::size_t i) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      const SourceToken& token = tokens_[i];
      if (token.is("(") || token.is("[") || token.is("{")) ++depth;
      if (token.is(")") || token.is("]") || token.is("}")) --depth;
      if (depth < 0 || (depth == 0 && token.is(";"))) return {};
      if (depth != 0 || !are_three(i, ">")) continue;
      if (ends_definition(i + 2) || (i + 3 < tokens_.size() && tokens_[i + 3].is("("))) return i;
    }
    return {};
  }

  // Whether the sign is the last one of a macro: #define GRID(g, b) << <g, b >> >
  bool ends_definition(std::size_t i) const {
    return tokens_[i].directive != 0 && (i + 1 == tokens_.size() || tokens_[i + 1].directive != tokens_[i].directive);
  }

  // `signs`: the three and a blank, on the side that is away from the launch's arguments.
  void join(std::size_t i, std::string_view signs) {
    const std::size_t begin = place(i), size = place(i + 2) + 1 - begin;
    if (size == 3) return;
    if (!made_) made_ = std::string(source_);
    std::string text(size, ' ');
    text.replace(signs.front() == ' ' ? size - 3 : 0, 3, signs.substr(signs.front() == ' ' ? 1 : 0, 3));
    made_->replace(begin, size, text);
  }

  const std::string_view source_;
  const std::vector<SourceToken> tokens_;
  std::optional<std::string> made_;
};

// Whether there are signs with blanks between them that may be those of a launch: most sources have none.
bool may_be_apart(std::string_view source) {
  for (std::size_t at = source.find('<'); at != source.npos; at = source.find('<', at)) {
    const std::size_t end = std::min(source.find_first_not_of("< \t", at), source.size());
    std::size_t signs = 0;
    for (std::size_t i = at; i < end; ++i) signs += source[i] == '<' ? 1 : 0;
    if (signs >= 3) return true;
    at = end;
  }
  return false;
}

}  // namespace

std::optional<std::string> with_joined_launches(std::string_view source) {
  if (!may_be_apart(source)) return {};
  return Launches(source).joined();
}

}  // namespace heddle::compile
