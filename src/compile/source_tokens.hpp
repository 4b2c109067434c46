// C++ text to words and signs, as far as is needed to find declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::compile {

struct SourceToken {
  enum class Kind : unsigned char { word, number, sign, text };  // signs are single characters, but for "::"
  Kind kind = Kind::sign;
  std::string_view text = {};
  std::uint32_t directive = 0;  // the number of the preprocessor directive that it is in; 0: in none
  bool is(std::string_view wanted) const { return kind != Kind::text && text == wanted; }
  bool is_word() const { return kind == Kind::word; }
  // Where it begins in the source that it was read from.
  std::size_t place_in(std::string_view source) const { return static_cast<std::size_t>(text.data() - source.data()); }
};

// Without comments. The texts are views into `source`. `preprocessor`: with the words of its lines, among the others.
std::vector<SourceToken> source_tokens(std::string_view source, bool preprocessor = false);

}  // namespace heddle::compile
