#include "compile/dependent_templates.hpp"

#include <set>
#include <vector>

#include "compile/source_edits.hpp"
#include "compile/source_tokens.hpp"

namespace heddle::compile {
namespace {

class Names {
 public:
  explicit Names(std::string_view source) : source_(source), tokens_(source_tokens(source, true)) {}

  std::optional<std::string> changed() {
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (is(i, "typename") || is(i, "class")) parameter(i + 1);
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (is(i, "typename")) name(i + 1);
    SourceEdits edits(source_);
    for (const std::size_t place : places_) edits.insert(place, "template ");
    return edits.made();
  }

 private:
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }

  // A template's parameter is declared here, as it seems.
  void parameter(std::size_t i) {
    while (is(i, ".")) ++i;
    if (i < tokens_.size() && tokens_[i].is_word() && (is(i + 1, ",") || is(i + 1, ">") || is(i + 1, "=")))
      parameters_.insert(tokens_[i].text);
  }

  // A::B<C>::D<E> begins here.
  void name(std::size_t i) {
    if (is(i, "::")) ++i;
    bool depends = i < tokens_.size() && parameters_.contains(tokens_[i].text);
    for (bool is_member = false; i < tokens_.size() && tokens_[i].is_word(); is_member = true) {
      const std::size_t end = is(i + 1, "<") ? behind_arguments(i + 1) : i + 1;
      if (end == i) return;
      if (is_member && depends && end > i + 1 && is(i - 1, "::")) places_.insert(tokens_[i].place_in(source_));
      depends = depends || end > i + 1;
      if (!is(end, "::")) return;
      i = end + (is(end + 1, "template") ? 2 : 1);
    }
  }
  // The token behind "<...>"; the one before them where they have no end.
  std::size_t behind_arguments(std::size_t begin) const {
    int depth = 0, brackets = 0;
    for (std::size_t i = begin; i < tokens_.size() && !is(i, ";") && !is(i, "{"); ++i) {
      brackets += is(i, "(") ? 1 : is(i, ")") ? -1 : 0;
      if (brackets < 0) break;
      if (brackets == 0) depth += is(i, "<") ? 1 : is(i, ">") ? -1 : 0;
      if (depth == 0) return i + 1;
    }
    return begin - 1;
  }

  const std::string_view source_;
  const std::vector<SourceToken> tokens_;
  std::set<std::string_view> parameters_;
  std::set<std::size_t> places_;  // names within arguments are found behind those that have them
};

}  // namespace

std::optional<std::string> with_template_keywords(std::string_view source) {
  if (source.find("typename") == source.npos || source.find("::") == source.npos) return {};
  return Names(source).changed();
}

}  // namespace heddle::compile
