#include "compile/deduction_guides.hpp"

#include <cctype>
#include <vector>

#include "compile/source_edits.hpp"
#include "compile/source_tokens.hpp"
#include "compile/template_arguments.hpp"

namespace heddle::compile {
namespace {

class Guides {
 public:
  explicit Guides(std::string_view source) : source_(source), tokens_(source_tokens(source, true)), edits_(source) {}

  std::optional<std::string> found() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i)
      if (is_guide(i)) edits_.insert(tokens_[i].place_in(source_), "__host__ __device__ ");
    return edits_.made();
  }

 private:
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }

  // NAME ( ... ) -> NAME < ... > ; where a declaration may begin.
  bool is_guide(std::size_t i) const {
    const SourceToken& name = tokens_[i];
    if (!name.is_word() || !is(i + 1, "(") || (i > 0 && !may_be_in_front(tokens_[i - 1]))) return false;
    if (i > 1 && is(i - 1, ">") && is(i - 2, "-")) return false;  // a member
    const std::size_t arrow = behind_brackets(i + 1);
    if (!is(arrow, "-") || !is(arrow + 1, ">") || !is(arrow + 2, name.text) || !is(arrow + 3, "<")) return false;
    const auto end = behind_template_arguments(tokens_, arrow + 3);
    return end && is(*end, ";");
  }
  static bool may_be_in_front(const SourceToken& token) {
    return token.is_word() ? token.is("explicit")
                           : token.is(">") || token.is(";") || token.is("{") || token.is("}") || token.is(")") ||
                                 token.is("]") || token.is(":");
  }
  // The token behind the brackets that begin here.
  std::size_t behind_brackets(std::size_t i) const {
    int depth = 0;
    for (; i < tokens_.size() && !is(i, ";"); ++i) {
      depth += is(i, "(") ? 1 : is(i, ")") ? -1 : 0;
      if (depth == 0) return i + 1;
    }
    return tokens_.size();
  }

  const std::string_view source_;
  const std::vector<SourceToken> tokens_;
  SourceEdits edits_;
};

// Cheaper than tokens: an arrow behind a bracket, in front of a name with template arguments.
bool may_have(std::string_view source) {
  const auto skip_blanks = [&](std::size_t at) {
    while (at < source.size() && std::isspace(static_cast<unsigned char>(source[at])) != 0) ++at;
    return at;
  };
  for (std::size_t at = source.find("->"); at != source.npos; at = source.find("->", at + 2)) {
    std::size_t before = at;
    while (before > 0 && std::isspace(static_cast<unsigned char>(source[before - 1])) != 0) --before;
    if (before == 0 || source[before - 1] != ')') continue;
    std::size_t end = skip_blanks(at + 2);
    while (end < source.size() && (std::isalnum(static_cast<unsigned char>(source[end])) != 0 || source[end] == '_'))
      ++end;
    const std::size_t next = skip_blanks(end);
    if (next < source.size() && source[next] == '<') return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> with_guides_for_both(std::string_view source) {
  if (!may_have(source)) return {};
  return Guides(source).found();
}

}  // namespace heddle::compile
