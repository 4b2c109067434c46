// Links between the documents, and from them to files of the project, lead somewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace heddle::tests
