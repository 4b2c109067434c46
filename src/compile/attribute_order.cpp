#include "compile/attribute_order.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "compile/source_tokens.hpp"

namespace heddle::compile {
namespace {

constexpr std::array<std::string_view, 8> keywords{"__shared__",   "__device__",      "__host__",     "__global__",
                                                   "__constant__", "__forceinline__", "__noinline__", "__managed__"};
constexpr std::array<std::string_view, 5> others{"extern", "static", "inline", "constexpr", "virtual"};

template <class List>
bool is_one_of(const SourceToken& token, const List& list) {
  return token.is_word() && std::ranges::find(list, token.text) != list.end();
}

class Attributes {
 public:
  explicit Attributes(std::string_view source) : source_(source), tokens_(source_tokens(source, true)) {}

  std::optional<std::string> moved() {
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      const std::size_t end = attribute_end(i);
      if (end == i) continue;
      move(i, end);
      i = end - 1;
    }
    return std::move(made_);
  }

 private:
  std::size_t place(std::size_t i) const { return tokens_[i].place_in(source_); }
  std::size_t place_behind(std::size_t i) const { return place(i) + tokens_[i].text.size(); }
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }

  // The token behind the attributes that begin with this one; the same where none do.
  std::size_t attribute_end(std::size_t i) const {
    for (;;) {
      std::size_t end = i;
      if (is(i, "alignas") && is(i + 1, "(")) {
        if (const std::size_t last = behind(i + 1, "(", ")"); last != i + 1) end = last;
      } else if (is(i, "[") && is(i + 1, "[") && place(i) + 1 == place(i + 1)) {
        end = behind(i, "[", "]");
      }
      if (end == i) return i;
      i = end;
    }
  }

  std::size_t behind(std::size_t i, std::string_view open, std::string_view close) const {
    int depth = 0;
    for (std::size_t at = i; at < tokens_.size(); ++at) {
      if (is(at, open)) ++depth;
      if (is(at, close) && --depth == 0) return at + 1;
    }
    return i;
  }

  // Attributes [begin, end) change places with the keywords before them.
  void move(std::size_t begin, std::size_t end) {
    std::size_t first = begin;
    bool has_keyword = false;
    while (first > 0 && (is_one_of(tokens_[first - 1], keywords) || is_one_of(tokens_[first - 1], others)))
      has_keyword |= is_one_of(tokens_[--first], keywords);
    if (!has_keyword) return;
    if (first > 0 && (is(first - 1, "]") || is(first - 1, ")"))) return;  // of a lambda
    if (!made_) made_ = std::string(source_);
    const std::size_t from = place(first), to = place_behind(end - 1);
    const std::string_view words = source_.substr(from, place_behind(begin - 1) - from),
                           blanks = source_.substr(from + words.size(), place(begin) - from - words.size()),
                           attributes = source_.substr(place(begin), to - place(begin));
    std::string text(attributes);
    text += blanks;
    text += words;
    made_->replace(from, to - from, text);
  }

  const std::string_view source_;
  const std::vector<SourceToken> tokens_;
  std::optional<std::string> made_;
};

bool may_have(std::string_view source) {
  if (source.find("alignas") == source.npos && source.find("[[") == source.npos) return false;
  return std::ranges::any_of(keywords, [&](std::string_view word) { return source.find(word) != source.npos; });
}

}  // namespace

std::optional<std::string> with_attributes_first(std::string_view source) {
  if (!may_have(source)) return {};
  return Attributes(source).moved();
}

}  // namespace heddle::compile
