#include "ptx/kernel_note.hpp"

#include <algorithm>
#include <optional>

namespace heddle::ptx {
namespace {

constexpr std::string_view mark = "// heddle: ";

// Where the parameter that begins the text ends: at a comma outside brackets, or at the text's end.
std::size_t end_of_parameter(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) return i;
  }
  return text.size();
}

std::optional<KernelNote> parse(std::string_view line) {
  line.remove_prefix(mark.size());
  const std::size_t open = line.find('(');
  if (open == line.npos || open == 0 || !line.ends_with(')')) return {};
  KernelNote made{std::string(line.substr(0, open))};
  std::string_view rest = line.substr(open + 1, line.size() - open - 2);
  while (!rest.empty()) {
    const std::size_t end = end_of_parameter(rest), colon = rest.find(": ");
    if (colon == rest.npos || colon >= end) return {};
    made.parameters.push_back(
        {std::string(rest.substr(0, colon)), std::string(rest.substr(colon + 2, end - colon - 2))});
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  return made;
}

}  // namespace

std::string to_text(const KernelNote& note) {
  std::string text = std::string(mark) + note.kernel + "(";
  for (const KernelNote::Parameter& parameter : note.parameters) {
    if (text.back() != '(') text += ", ";
    text += parameter.name + ": " + parameter.type;
  }
  return text + ")\n";
}

std::vector<KernelNote> read_kernel_notes(std::string_view ptx) {
  std::vector<KernelNote> made;
  while (true) {
    while (!ptx.empty() && (ptx.back() == '\n' || ptx.back() == '\r' || ptx.back() == '\0')) ptx.remove_suffix(1);
    const std::size_t begin = ptx.rfind('\n') + 1;  // 0 in the first line
    const std::string_view line = ptx.substr(begin);
    if (!line.starts_with(mark)) break;
    if (auto note = parse(line)) made.push_back(std::move(*note));
    ptx.remove_suffix(line.size());
  }
  std::reverse(made.begin(), made.end());
  return made;
}

}  // namespace heddle::ptx
