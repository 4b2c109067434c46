// The project's sources as text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tests {

struct SourceText {
  std::string path;  // from the project's root: "src/ptx/parser.cpp"
  std::vector<std::string> lines;
};

// Files under a folder of the project with one of the endings, sorted by path.
std::vector<SourceText> sources(const std::string& folder, const std::vector<std::string>& endings);
const std::filesystem::path& source_folder();
// The path in #include "path".
std::optional<std::string> quoted_include(const std::string& line);

}  // namespace heddle::tests
