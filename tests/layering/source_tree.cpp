#include "layering/source_tree.hpp"

#include <algorithm>
#include <fstream>

namespace heddle::tests {

const std::filesystem::path& source_folder() {
  static const std::filesystem::path folder = HEDDLE_SOURCE_FOLDER;
  return folder;
}

std::vector<SourceText> sources(const std::string& folder, const std::vector<std::string>& endings) {
  std::vector<SourceText> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() / folder)) {
    const std::string ending = entry.path().extension().string();
    if (!entry.is_regular_file() || std::find(endings.begin(), endings.end(), ending) == endings.end()) continue;
    SourceText text{std::filesystem::relative(entry.path(), source_folder()).generic_string(), {}};
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) text.lines.push_back(line);
    found.push_back(std::move(text));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

std::optional<std::string> quoted_include(const std::string& line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return std::nullopt;
  const std::size_t word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return std::nullopt;
  const std::size_t open = line.find('"');
  if (open == std::string::npos) return std::nullopt;
  return line.substr(open + 1, line.find('"', open + 1) - open - 1);
}

}  // namespace heddle::tests
