#include "compile/dependencies.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/fail.hpp"

namespace heddle::compile {
namespace {

// What devices have, and what heddle run adds to PTX that declares it.
constexpr std::array<std::string_view, 5> provided{"vprintf", "malloc", "free", "__assertfail",
                                                   "cudaGraphSetConditional"};

bool is_name(unsigned char c) { return std::isalnum(c) || c == '_' || c == '$' || c == '.'; }

// The name in ".extern .func (.param .b64 func_retval0) name": the first word after the return value, if there is one.
std::string_view function_name(std::string_view text) {
  auto skip_space = [&] {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0]))) text.remove_prefix(1);
  };
  skip_space();
  if (text.starts_with('(')) {
    text.remove_prefix(std::min(text.find(')') + 1, text.size()));
    skip_space();
  }
  auto end = std::find_if_not(text.begin(), text.end(), is_name);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

}  // namespace

std::vector<std::string> parse_make_rule(std::string_view text) {
  std::vector<std::string> paths;
  std::string word;
  auto finish = [&] {
    if (!word.empty()) paths.push_back(word);
    word.clear();
  };
  text.remove_prefix(std::min(text.find(": ") + 1, text.size()));
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '\\' && next == '\n') {
      ++i;
      finish();
    } else if ((text[i] == '\\' && (next == ' ' || next == '#')) || (text[i] == '$' && next == '$')) {
      word += next;
      ++i;
    } else if (std::isspace(static_cast<unsigned char>(text[i]))) {
      finish();
    } else {
      word += text[i];
    }
  }
  finish();
  return paths;
}

std::vector<std::string> unresolved_functions(std::string_view ptx) {
  constexpr std::string_view marker = ".extern .func";
  std::vector<std::string> names;
  for (auto at = ptx.find(marker); at != ptx.npos; at = ptx.find(marker, at + marker.size())) {
    std::string_view name = function_name(ptx.substr(at + marker.size()));
    if (std::find(provided.begin(), provided.end(), name) == provided.end()) names.emplace_back(name);
  }
  return names;
}

void refuse_unresolved_functions(std::string_view ptx, std::string_view name) {
  const auto names = unresolved_functions(ptx);
  if (names.empty()) return;
  base::fail(
      ErrorCode::compile_error,
      "{} does not compile: device code calls {}, which is declared but has no device definition in this file. Heddle "
      "compiles each file by itself; put the definition into the file or a header it includes.",
      name, fmt::join(names, ", "));
}

}  // namespace heddle::compile
