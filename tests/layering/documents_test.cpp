// Links between the documents, and from them to files of the project, lead somewhere; lines of prose and of headers are
// short enough to read.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "layering/source_tree.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;

const fs::path root = HEDDLE_SOURCE_FOLDER;

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  for (const char* folder : {".", "docs", "examples"})
    for (const fs::directory_entry& entry : fs::directory_iterator(root / folder))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

std::string read(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// What is code is no link, though it may look like one: `kernel[grid, block](x, n)`.
std::string without_code(const std::string& text) {
  static const std::regex code(R"(```[^`]*```|`[^`\n]*`)");
  return std::regex_replace(text, code, "");
}

// What stands in the parentheses of [text](target), without the part behind #.
std::vector<std::string> targets(const std::string& text) {
  static const std::regex link(R"(\]\(([^)#\s]+)[^)]*\))");
  std::vector<std::string> found;
  const std::string prose = without_code(text);
  for (std::sregex_iterator match(prose.begin(), prose.end(), link), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

TEST(Documents, LinksLeadToFiles) {
  std::size_t links = 0;
  for (const fs::path& document : documents())
    for (const std::string& target : targets(read(document))) {
      if (target.starts_with("http")) continue;
      ++links;
      EXPECT_TRUE(fs::exists(document.parent_path() / target))
          << fs::relative(document, root) << " links to " << target;
    }
  EXPECT_GT(links, 20u);
}

TEST(Documents, EveryPageOfDocsIsInItsList) {
  const std::vector<std::string> listed = targets(read(root / "docs/README.md"));
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "docs")) {
    const std::string name = entry.path().filename().string();
    if (name == "README.md") continue;
    EXPECT_NE(std::find(listed.begin(), listed.end(), name), listed.end()) << name << " is not in docs/README.md";
  }
}

constexpr std::size_t widest = 120;

// Characters, not bytes: all bytes of UTF-8 but those that continue a character.
std::size_t width(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// A line that is only one link or address cannot be wrapped.
bool one_address(const std::string& line) {
  static const std::regex address(R"(\s*(?:[-*]\s+)?(?:!?\[[^\]]*\]\([^)]*\)|<?https?://\S+>?)[.,;:]?\s*)");
  return std::regex_match(line, address);
}

// What is too wide in prose: not in code, and not in rows of tables.
void expect_narrow_prose(const SourceText& page) {
  bool code = false;
  for (std::size_t number = 0; number < page.lines.size(); ++number) {
    const std::string& line = page.lines[number];
    const std::size_t text = line.find_first_not_of(' ');
    if (text != std::string::npos && line.compare(text, 3, "```") == 0) code = !code;
    if (code || line.starts_with("|") || one_address(line)) continue;
    EXPECT_LE(width(line), widest) << page.path << ":" << number + 1 << " is too wide: " << line;
  }
}

SourceText page_of_root(const std::string& name) {
  SourceText page{name, {}};
  std::ifstream file(root / name);
  for (std::string line; std::getline(file, line);) page.lines.push_back(line);
  return page;
}

TEST(Documents, ProseIsAtMost120ColumnsWide) {
  std::vector<SourceText> pages = sources("docs", {".md"});
  std::erase_if(pages, [](const SourceText& page) { return page.path.starts_with("docs/results/"); });
  for (const char* name : {"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}) pages.push_back(page_of_root(name));
  EXPECT_GT(pages.size(), 20u);
  for (const SourceText& page : pages) {
    EXPECT_FALSE(page.lines.empty()) << page.path;
    expect_narrow_prose(page);
  }
}

TEST(Headers, AreAtMost120ColumnsWide) {
  std::size_t headers = 0;
  for (const char* room : {"include/heddle", "src/cuda_api", "src/memory", "src/graph", "src/model", "src/trace",
                           "src/cli", "src/c_api", "python"})
    for (const SourceText& header : sources(room, {".hpp", ".h"})) {
      ++headers;
      for (std::size_t number = 0; number < header.lines.size(); ++number)
        EXPECT_LE(width(header.lines[number]), widest) << header.path << ":" << number + 1 << " is too wide";
    }
  EXPECT_GT(headers, 50u);
}

}  // namespace
}  // namespace heddle::tests
