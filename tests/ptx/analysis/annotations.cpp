#include "ptx/analysis/annotations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ptx/parser.hpp"
#include "support/places.hpp"

namespace heddle::ptx::analysis::testing {
namespace {

constexpr std::string_view marker = "//= ";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void write(const std::string& path, const std::vector<std::string>& lines) {
  std::ofstream out(path);
  for (const std::string& line : lines) out << line << "\n";
}

}  // namespace

AnnotatedFile AnnotatedFile::load(const std::string& path) {
  std::ifstream stream(path);
  AnnotatedFile file;
  file.path = path;
  file.text.assign(std::istreambuf_iterator<char>(stream), {});
  EXPECT_FALSE(file.text.empty()) << path;
  file.module = parse(file.text, path);
  for (const std::string& line : lines_of(file.text)) {
    if (line.rfind("//@ ", 0) != 0) continue;
    const std::size_t space = line.find(' ', 4);
    file.settings.emplace(line.substr(4, space - 4), space == std::string::npos ? "" : line.substr(space + 1));
  }
  return file;
}

std::string AnnotatedFile::setting(const std::string& key, const std::string& otherwise) const {
  const auto it = settings.find(key);
  return it == settings.end() ? otherwise : it->second;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(tests::test_data() / folder))
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

void check_annotations(const AnnotatedFile& file,
                       const std::function<std::string(const Function&, std::uint32_t)>& find) {
  std::vector<std::string> lines = lines_of(file.text);
  const bool update = std::getenv("HEDDLE_UPDATE") != nullptr;
  std::size_t expectations = 0;
  for (const Function& function : file.module.functions) {
    for (std::uint32_t i = 0; i < function.body.size(); ++i) {
      const std::uint32_t number = function.body[i].where.line;
      ASSERT_GT(number, 0u);
      ASSERT_LE(number, lines.size());
      std::string& line = lines[number - 1];
      const std::size_t at = line.find(marker);
      if (at == std::string::npos) continue;
      ++expectations;
      const std::string found = find(function, i);
      if (update)
        line = line.substr(0, at) + std::string(marker) + found;
      else
        EXPECT_EQ(line.substr(at + marker.size()), found) << file.path << ":" << number << ": " << line;
    }
  }
  EXPECT_GT(expectations, 0u) << file.path;
  if (update) write(file.path, lines);
}

void check_facts(const AnnotatedFile& file, const std::vector<std::string>& keys,
                 const std::function<std::string(const std::string& key, std::uint32_t function)>& find) {
  std::vector<std::string> lines = lines_of(file.text);
  const bool update = std::getenv("HEDDLE_UPDATE") != nullptr;
  std::size_t expectations = 0;
  for (std::string& line : lines) {
    if (line.rfind("//@ ", 0) != 0) continue;
    std::istringstream words(line.substr(4));
    std::string key, function_name, expected;
    words >> key >> function_name >> std::ws;
    std::getline(words, expected);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    ++expectations;
    const auto& functions = file.module.functions;
    const auto it =
        std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == function_name; });
    ASSERT_NE(it, functions.end()) << file.path << ": " << line;
    const std::string found = find(key, static_cast<std::uint32_t>(it - functions.begin()));
    if (update)
      line = "//@ " + key + " " + function_name + (found.empty() ? "" : " " + found);
    else
      EXPECT_EQ(expected, found) << file.path << ": " << line;
  }
  EXPECT_GT(expectations, 0u) << file.path;
  if (update) write(file.path, lines);
}

}  // namespace heddle::ptx::analysis::testing
