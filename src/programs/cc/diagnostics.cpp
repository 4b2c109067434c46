#include "programs/cc/diagnostics.hpp"

#include <cctype>
#include <vector>

namespace heddle::programs {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

bool is_count(std::string_view line) { return line.find(" generated when compiling for ") != line.npos; }
bool begins_message(std::string_view line) {
  return line.find(": warning: ") != line.npos || line.find(": error: ") != line.npos ||
         line.starts_with("In file included from");
}

// Messages with the lines that belong to them, without the count at the end.
std::vector<std::string> messages_of(std::string_view text) {
  std::vector<std::string> messages;
  bool within_includes = false;
  for (const std::string_view line : lines_of(text)) {
    if (is_count(line)) continue;
    const bool is_include = line.starts_with("In file included from");
    if (messages.empty() || (begins_message(line) && !within_includes)) messages.emplace_back();
    within_includes = is_include;
    messages.back() += line;
  }
  return messages;
}

}  // namespace

std::string merged_diagnostics(const std::string& host, const std::string& device) {
  std::string merged;
  for (const std::string& message : messages_of(host)) merged += message;
  for (const std::string& message : messages_of(device)) {
    if (merged.find(message) == merged.npos) merged += message;
  }
  return merged;
}

std::string quoted(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-_./=,:+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  bool plain = !word.empty();
  for (const char c : word) plain = plain && is_plain(static_cast<unsigned char>(c));
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace heddle::programs
