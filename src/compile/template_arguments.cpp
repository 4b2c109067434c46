#include "compile/template_arguments.hpp"

#include <algorithm>

namespace heddle::compile {
namespace {

// Of a list of arguments. Signs that compare are followed so far only, and not to the end of a long text.
constexpr std::size_t most_tokens = 4096;

bool touch(const SourceToken& first, const SourceToken& second) {
  return first.text.data() + first.text.size() == second.text.data();
}

}  // namespace

std::optional<std::size_t> behind_template_arguments(std::span<const SourceToken> tokens, std::size_t begin) {
  int depth = 0, brackets = 0;
  for (std::size_t i = begin; i < std::min(tokens.size(), begin + most_tokens); ++i) {
    const SourceToken& token = tokens[i];
    if (token.is("(") || token.is("{") || token.is("[")) ++brackets;
    if ((token.is(")") || token.is("}") || token.is("]")) && --brackets < 0) return std::nullopt;
    if (brackets > 0) continue;
    if (token.is(";")) return std::nullopt;
    if (token.is("<")) ++depth;
    const bool is_arrow = i > begin && tokens[i - 1].is("-") && touch(tokens[i - 1], token);
    const bool is_comparison = i + 1 < tokens.size() && tokens[i + 1].is("=") && touch(token, tokens[i + 1]);
    if (token.is(">") && !is_arrow && !is_comparison && --depth == 0) return i + 1;
  }
  return std::nullopt;
}

}  // namespace heddle::compile
