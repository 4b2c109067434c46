#include "compile/launch_arguments.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "compile/source_edits.hpp"
#include "compile/source_tokens.hpp"
#include "compile/template_arguments.hpp"

namespace heddle::compile {
namespace {

// Of a launch's arguments.
constexpr std::array<std::string_view, 4> types{"dim3", "dim3", "size_t", "cudaStream_t"};

class Lists {
 public:
  explicit Lists(std::string_view source) : source_(source), tokens_(source_tokens(source, true)), edits_(source) {}

  std::optional<std::string> named() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (is(i, "#") && is(i + 1, "define")) definition(i + 2);
      if (!are_three(i, "<")) continue;
      launch(i + 3);
      i += 2;
    }
    return edits_.made();
  }

 private:
  std::size_t place(std::size_t i) const { return tokens_[i].place_in(source_); }
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }
  bool opens(std::size_t i) const { return is(i, "(") || is(i, "[") || is(i, "{"); }
  bool closes(std::size_t i) const { return is(i, ")") || is(i, "]") || is(i, "}"); }
  bool are_three(std::size_t i, std::string_view sign) const {
    return is(i, sign) && is(i + 1, sign) && is(i + 2, sign) && place(i) + 2 == place(i + 2);
  }

  // #define NAME {16, 16}
  void definition(std::size_t name) {
    const std::uint32_t directive = tokens_[name].directive;
    if (directive != 0 && is(name + 1, "{") && tokens_[name + 1].directive == directive)
      macros_.insert(tokens_[name].text);
  }

  // The first argument begins here.
  void launch(std::size_t i) {
    for (const std::string_view type : types) {
      if (is(i, "{")) edits_.insert(place(i), type);
      if (i < tokens_.size() && tokens_[i].is_word() && macros_.contains(tokens_[i].text))
        edits_.insert(place(i), std::string(type) + ' ');
      for (; !is(i, ","); i = behind(i))
        if (i >= tokens_.size() || is(i, ";") || closes(i) || are_three(i, ">") || are_three(i, "<")) return;
      ++i;
    }
  }

  // The token behind this one, or behind the brackets that it opens.
  std::size_t behind(std::size_t i) const {
    if (is(i, "<")) return behind_arguments_of_call(i);
    if (!opens(i)) return i + 1;
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      depth += opens(i) ? 1 : closes(i) ? -1 : 0;
      if (depth == 0) return i + 1;
    }
    return i;
  }

  // The same where the sign begins template arguments of a call, f<int, 2>(x). It compares something otherwise.
  std::size_t behind_arguments_of_call(std::size_t begin) const {
    const auto end = behind_template_arguments(tokens_, begin);
    return end && (is(*end, "(") || is(*end, "{") || is(*end, "::")) ? *end : begin + 1;
  }

  const std::string_view source_;
  const std::vector<SourceToken> tokens_;
  std::set<std::string_view> macros_;  // that stand for lists
  SourceEdits edits_;
};

}  // namespace

std::optional<std::string> with_named_lists(std::string_view source) {
  if (source.find("<<<") == source.npos) return {};
  return Lists(source).named();
}

}  // namespace heddle::compile
