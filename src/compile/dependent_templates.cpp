#include "compile/dependent_templates.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "compile/source_edits.hpp"
#include "compile/source_tokens.hpp"
#include "compile/template_arguments.hpp"

namespace heddle::compile {
namespace {

class Names {
 public:
  explicit Names(std::string_view source) : source_(source), tokens_(source_tokens(source, true)) {}

  std::optional<std::string> changed() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (is(i, "typename") || is(i, "class")) parameter(i + 1);
      if (is(i, "define") && tokens_[i].directive != 0) macros_.insert(tokens_[i + 1].text);
    }
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

  // Which may have the word already.
  bool may_be_macro(std::string_view name) const {
    return macros_.contains(name) ||
           std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c); });
  }

  // A::B<C>::D<E> begins here.
  void name(std::size_t i) {
    if (is(i, "::")) ++i;
    bool depends = i < tokens_.size() && parameters_.contains(tokens_[i].text);
    for (bool is_member = false; i < tokens_.size() && tokens_[i].is_word(); is_member = true) {
      const auto list = is(i + 1, "<") ? behind_template_arguments(tokens_, i + 1) : i + 1;
      if (!list) return;
      const std::size_t end = *list;
      if (is_member && depends && end > i + 1 && is(i - 1, "::") && !may_be_macro(tokens_[i].text))
        places_.insert(tokens_[i].place_in(source_));
      depends = depends || end > i + 1;
      if (!is(end, "::")) return;
      i = end + (is(end + 1, "template") ? 2 : 1);
    }
  }
  const std::string_view source_;
  const std::vector<SourceToken> tokens_;
  std::set<std::string_view> parameters_, macros_;
  std::set<std::size_t> places_;  // names within arguments are found behind those that have them
};

}  // namespace

std::optional<std::string> with_template_keywords(std::string_view source) {
  if (source.find("typename") == source.npos || source.find("::") == source.npos) return {};
  return Names(source).changed();
}

}  // namespace heddle::compile
