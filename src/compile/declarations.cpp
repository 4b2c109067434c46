#include "compile/declarations.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "compile/source_tokens.hpp"

namespace heddle::compile {
namespace {

using Tokens = std::span<const SourceToken>;
using ptx::KernelNote;

bool is_one_of(const SourceToken& token, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.is(word); });
}

// What stands between __global__ and the kernel's name, with arguments in parentheses.
bool is_attribute(const SourceToken& token) {
  return is_one_of(token, {"__launch_bounds__", "__attribute__", "__maxnreg__", "__cluster_dims__", "__block_size__",
                           "__declspec", "alignas", "__nv_pure__", "decltype", "noexcept", "requires"});
}

// The index after the bracket that matches the one at `at`, or the number of tokens if none matches. Comparisons may
// be taken for angle brackets; then no name and no list of parameters follows.
std::size_t after_brackets(Tokens tokens, std::size_t at) {
  const std::string_view open = tokens[at].text;
  const std::string_view close = open == "(" ? ")" : open == "[" ? "]" : open == "<" ? ">" : "}";
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].is(open)) ++depth;
    if (tokens[at].is(close) && --depth == 0) return at + 1;
  }
  return at;
}

// "const float* const*": the qualifiers of what is pointed to come first.
std::optional<std::string> spelled(Tokens tokens) {
  const auto star =
      std::find_if(tokens.begin(), tokens.end(), [](const SourceToken& token) { return is_one_of(token, {"*", "&"}); });
  std::string type, qualifiers;
  int depth = 0;
  for (auto at = tokens.begin(); at != star; ++at) {
    depth += at->is("<") ? 1 : at->is(">") ? -1 : 0;
    if (at->kind == SourceToken::Kind::sign && !is_one_of(*at, {"::", "<", ">", ","})) return {};
    if (is_one_of(*at, {"const", "volatile"})) {
      qualifiers += std::string(at->text) + " ";
    } else if (!is_one_of(*at, {"struct", "class", "enum", "union", "typename", "__grid_constant__"})) {
      const bool words = !type.empty() && at->is_word() && (std::prev(at)->is_word() || std::prev(at)->is(">"));
      type += (words ? " " : type.ends_with(',') ? " " : "") + std::string(at->text);
    }
  }
  if (type.empty() || depth != 0) return {};
  type = qualifiers + type;
  for (auto at = star; at != tokens.end(); ++at) {
    if (is_one_of(*at, {"__restrict__", "__restrict", "restrict"})) continue;
    if (!is_one_of(*at, {"*", "&", "const", "volatile"})) return {};
    type += (at->is_word() ? " " : "") + std::string(at->text);
  }
  return type;
}

bool is_part_of_type(const SourceToken& token) {
  return is_one_of(token, {"const", "volatile", "unsigned", "signed", "int", "long", "short", "char", "float", "double",
                           "bool", "void", "struct", "__restrict__", "__restrict", "restrict", "typename", "auto"});
}

// Nothing for a parameter that is not spelled plainly: a macro with arguments, a pointer to an array, a pack.
std::optional<KernelNote::Parameter> read_parameter(Tokens tokens) {
  const auto equals =
      std::find_if(tokens.begin(), tokens.end(), [](const SourceToken& token) { return token.is("="); });
  tokens = tokens.first(static_cast<std::size_t>(equals - tokens.begin()));
  while (tokens.size() > 3 && tokens[0].is("[") && tokens[1].is("["))
    tokens = tokens.subspan(std::min(tokens.size(), after_brackets(tokens, 0)));
  std::size_t pointers = 0;
  while (!tokens.empty() && tokens.back().is("]")) {  // an array is a pointer to its first element
    const auto open = std::find_if(tokens.rbegin(), tokens.rend(), [](const SourceToken& t) { return t.is("["); });
    if (open == tokens.rend() || ++pointers > 1) return {};
    tokens = tokens.first(static_cast<std::size_t>(tokens.rend() - open) - 1);
  }
  for (const SourceToken& token : tokens)
    if (is_one_of(token, {"(", ")", "[", "]", ".", "{", "}"}) || token.kind == SourceToken::Kind::text) return {};
  KernelNote::Parameter made;
  const bool several = tokens.size() > 1 && !tokens[tokens.size() - 2].is("::");
  const bool only_qualified = tokens.size() == 2 && is_one_of(tokens[0], {"const", "volatile", "struct"});
  if (several && !only_qualified && tokens.back().is_word() && !is_part_of_type(tokens.back())) {
    made.name = tokens.back().text;
    tokens = tokens.first(tokens.size() - 1);
  }
  const auto type = spelled(tokens);
  if (!type) return {};
  made.type = *type + (pointers != 0 ? "*" : "");
  return made;
}

std::optional<std::vector<KernelNote::Parameter>> read_parameters(Tokens tokens) {
  std::vector<KernelNote::Parameter> made;
  if (tokens.empty() || (tokens.size() == 1 && tokens[0].is("void"))) return made;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    if (i < tokens.size()) {
      if (is_one_of(tokens[i], {"<", "(", "["})) ++depth;
      if (is_one_of(tokens[i], {">", ")", "]"})) --depth;
      if (depth != 0 || !tokens[i].is(",")) continue;
    }
    auto parameter = read_parameter(tokens.subspan(begin, i - begin));
    if (!parameter) return {};
    made.push_back(std::move(*parameter));
    begin = i + 1;
  }
  return made;
}

struct Declaration {
  std::string kernel;
  std::optional<std::vector<KernelNote::Parameter>> parameters;  // nothing: not understood
};

// From after __global__ on: the first name with a list of parameters, followed by ';' or a body.
std::optional<Declaration> read_declaration(Tokens tokens) {
  for (std::size_t at = 0; at < tokens.size();) {
    const SourceToken& token = tokens[at];
    if (is_one_of(token, {";", "{", "}", "="})) return {};
    if (token.is("[") || token.is("(")) {
      at = after_brackets(tokens, at);
      continue;
    }
    std::size_t next = at + 1;
    if (token.is_word() && next < tokens.size() && tokens[next].is("<")) next = after_brackets(tokens, next);
    if (!token.is_word() || next >= tokens.size() || !tokens[next].is("(")) {
      at = next;
      continue;
    }
    const std::size_t end = after_brackets(tokens, next);
    if (is_attribute(token)) {
      at = end;
      continue;
    }
    if (end >= tokens.size()) return {};
    if (tokens[end].is("(")) return {};                   // NAME(x)(...): a macro makes the name
    if (next > at + 1 && tokens[end].is(";")) return {};  // an instance of a template says nothing of its own
    if (is_one_of(tokens[end], {"{", ";"}))
      return Declaration{std::string(token.text), read_parameters(tokens.subspan(next + 1, end - next - 2))};
    at = end;  // a macro before the name
  }
  return {};
}

// Two declarations of a kernel may differ in names, which one of them may not have.
void merge(std::optional<KernelNote>& known, const Declaration& other) {
  if (!known) return;
  const bool same = other.parameters && other.parameters->size() == known->parameters.size();
  for (std::size_t i = 0; same && known && i < known->parameters.size(); ++i) {
    KernelNote::Parameter& parameter = known->parameters[i];
    if (parameter.type != (*other.parameters)[i].type) known.reset();
    if (known && !(*other.parameters)[i].name.empty()) parameter.name = (*other.parameters)[i].name;
  }
  if (!same) known.reset();
}

}  // namespace

std::vector<KernelNote> find_kernel_declarations(std::string_view source) {
  if (source.find("__global__") == source.npos) return {};
  const std::vector<SourceToken> tokens = source_tokens(source);
  std::map<std::string, std::optional<KernelNote>> found;  // nothing: ambiguous
  std::vector<std::string> order;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__global__")) continue;
    const auto declaration = read_declaration(Tokens(tokens).subspan(i + 1));
    if (!declaration) continue;
    const auto known = found.find(declaration->kernel);
    if (known != found.end()) {
      merge(known->second, *declaration);
      continue;
    }
    order.push_back(declaration->kernel);
    auto& made = found[declaration->kernel];
    if (declaration->parameters) made = KernelNote{declaration->kernel, *declaration->parameters};
  }
  std::vector<KernelNote> made;
  for (const std::string& kernel : order)
    if (auto& note = found[kernel]) made.push_back(std::move(*note));
  return made;
}

std::string with_kernel_notes(std::string ptx, std::string_view source) {
  for (const KernelNote& note : find_kernel_declarations(source)) {
    if (note.parameters.empty() || ptx.find(note.kernel) == ptx.npos) continue;
    if (!ptx.ends_with('\n')) ptx += '\n';
    ptx += to_text(note);
  }
  return ptx;
}

}  // namespace heddle::compile
