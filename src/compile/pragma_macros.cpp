#include "compile/pragma_macros.hpp"

#include <algorithm>
#include <vector>

#include "compile/source_edits.hpp"
#include "compile/source_tokens.hpp"

namespace heddle::compile {
namespace {

class Definitions {
 public:
  explicit Definitions(std::string_view source)
      : source_(source), tokens_(source_tokens(source, true)), edits_(source) {}

  std::optional<std::string> changed() {
    for (std::size_t i = 0; i + 4 < tokens_.size(); ++i) {
      if (!tokens_[i].is("#") || !tokens_[i + 1].is("define")) continue;
      if (tokens_[i + 3].is("#") && tokens_[i + 4].is("pragma") && is_in_line(i, i + 4)) change(i, i + 3);
    }
    return edits_.made();
  }

 private:
  std::size_t place(std::size_t i) const { return tokens_[i].place_in(source_); }
  std::size_t end_of(std::size_t i) const { return place(i) + tokens_[i].text.size(); }

  // Whether the token is in the directive that begins with `first`.
  bool is_in_line(std::size_t first, std::size_t i) const {
    return i < tokens_.size() && tokens_[i].directive != 0 && tokens_[i].directive == tokens_[first].directive;
  }

  // What begins with the second # becomes the operator. Ends of lines within it follow it.
  void change(std::size_t first, std::size_t sign) {
    std::string text;
    std::size_t last = sign + 1;
    while (is_in_line(first, last + 1)) {
      ++last;
      if (last > sign + 2 && end_of(last - 1) != place(last)) text += ' ';
      for (const char c : tokens_[last].text) {
        if (c == '"' || c == '\\') text += '\\';
        if (c != '\n') text += c;
      }
    }
    const std::string_view old = source_.substr(place(sign), end_of(last) - place(sign));
    std::string made = "_Pragma(\"" + text + "\")";
    for (auto lines = std::ranges::count(old, '\n'); lines > 0; --lines) made += "\\\n";
    edits_.replace(place(sign), end_of(last), made);
  }

  const std::string_view source_;
  const std::vector<SourceToken> tokens_;
  SourceEdits edits_;
};

}  // namespace

std::optional<std::string> with_pragma_operators(std::string_view source) {
  if (source.find("pragma") == source.npos || source.find("define") == source.npos) return {};
  return Definitions(source).changed();
}

}  // namespace heddle::compile
