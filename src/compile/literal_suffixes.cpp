#include "compile/literal_suffixes.hpp"

#include <set>
#include <vector>

#include "compile/source_edits.hpp"
#include "compile/source_tokens.hpp"

namespace heddle::compile {
namespace {

bool ends_literal(const SourceToken& token) {
  return token.kind == SourceToken::Kind::text && token.text.size() > 1 && token.text.ends_with('"');
}

// Whether a word that is no suffix touches the literal before it.
bool touches(const SourceToken& literal, const SourceToken& word) {
  return ends_literal(literal) && word.is_word() && word.text.starts_with("__") &&
         literal.text.data() + literal.text.size() == word.text.data();
}

// operator""__x and operator"" __x
std::set<std::string_view> suffixes_of(const std::vector<SourceToken>& tokens) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i].is("operator") && ends_literal(tokens[i + 1])) names.insert(tokens[i + 2].text);
  return names;
}

}  // namespace

std::optional<std::string> with_blanks_behind_literals(std::string_view source) {
  if (source.find("\"__") == source.npos) return {};
  const std::vector<SourceToken> tokens = source_tokens(source, true);
  const std::set<std::string_view> suffixes = suffixes_of(tokens);
  SourceEdits edits(source);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (touches(tokens[i], tokens[i + 1]) && !suffixes.contains(tokens[i + 1].text))
      edits.insert(tokens[i + 1].place_in(source), " ");
  }
  return edits.made();
}

}  // namespace heddle::compile
