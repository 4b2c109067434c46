#include "compile/search_path.hpp"

#include <optional>

namespace heddle::compile {
namespace {

constexpr std::string_view first_line = "clang -cc1 version ";
constexpr std::string_view quoted_follow = "#include \"...\" search starts here:";
constexpr std::string_view angled_follow = "#include <...> search starts here:";
constexpr std::string_view duplicates = "  as it is a non-system directory that duplicates ";
constexpr std::string_view last_line = "End of search list.";

// The folder in: ignoring KIND directory "FOLDER"
std::optional<std::string> ignored(std::string_view line, std::string_view kind) {
  const std::string start = "ignoring " + std::string(kind) + " directory \"";
  if (!line.starts_with(start) || !line.ends_with('"')) return {};
  return std::string(line.substr(start.size(), line.size() - start.size() - 1));
}

// False for a line that is no part of the description.
bool read_line(std::string_view line, std::vector<std::string>*& list, SearchPath& path) {
  if (line == quoted_follow) {
    list = &path.quoted;
  } else if (line == angled_follow) {
    list = &path.angled;
  } else if (list != nullptr && line.starts_with(' ')) {
    list->emplace_back(line.substr(1));
  } else if (auto folder = ignored(line, "nonexistent")) {
    path.missing.push_back(*folder);
  } else if (auto twice = ignored(line, "duplicate")) {
    path.doubled.push_back(*twice);
  } else {
    return line.starts_with(first_line) || line.starts_with(duplicates) || line == last_line;
  }
  return true;
}

}  // namespace

bool take_search_path(std::string& text, SearchPath& path) {
  const std::string_view view = text;
  std::size_t begin = view.find(first_line);
  while (begin != view.npos && begin != 0 && view[begin - 1] != '\n') begin = view.find(first_line, begin + 1);
  if (begin == view.npos) return false;
  std::string others(view.substr(0, begin));
  std::vector<std::string>* list = nullptr;
  for (std::size_t at = begin, end; (end = view.find('\n', at)) != view.npos; at = end + 1) {
    const std::string_view line = view.substr(at, end - at);
    // What clang has to say on a precompiled header comes in between.
    if (!read_line(line, list, path)) others.append(line) += '\n';
    if (line == last_line) {
      others += view.substr(end + 1);
      text = std::move(others);
      return true;
    }
  }
  return false;
}

}  // namespace heddle::compile
