// C++ text to words and signs, as far as is needed to find declarations.
#pragma once

#include <string_view>
#include <vector>

namespace heddle::compile {

struct SourceToken {
  enum class Kind : unsigned char { word, number, sign, text };  // signs are single characters, but for "::"
  Kind kind = Kind::sign;
  std::string_view text = {};
  bool is(std::string_view wanted) const { return kind != Kind::text && text == wanted; }
  bool is_word() const { return kind == Kind::word; }
};

// Without comments. The texts are views into `source`. `preprocessor`: with the words of its lines, among the others.
std::vector<SourceToken> source_tokens(std::string_view source, bool preprocessor = false);

}  // namespace heddle::compile
