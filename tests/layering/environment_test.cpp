// The table of variables has every environment variable that something reads, and documents explain those of the
// program.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "layering/source_tree.hpp"

namespace heddle::tests {
namespace {

constexpr const char* table = "src/base/variables.cpp";
constexpr const char* doctor = "src/doctor/environment.cpp";  // has those of tests and scripts

// What the pattern's first group matches in the files that are chosen.
template <class Chosen>
std::set<std::string> matches(const std::vector<SourceText>& files, const std::string& pattern, Chosen&& is_chosen) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (const SourceText& file : files) {
    if (!is_chosen(file.path)) continue;
    for (const std::string& line : file.lines)
      for (std::sregex_iterator match(line.begin(), line.end(), expression), end; match != end; ++match)
        found.insert((*match)[1]);
  }
  return found;
}

bool is_table(const std::string& path) { return path == table; }
bool is_list(const std::string& path) { return path == table || path == doctor; }
bool is_no_list(const std::string& path) { return !is_list(path); }

const std::vector<std::string> endings = {".cpp", ".hpp"};

TEST(EnvironmentVariables, DoctorKnowsThoseThatAreRead) {
  const auto src = sources("src", endings);
  const std::set<std::string> read = matches(src, "\"(HEDDLE_[A-Z_0-9]+)\"", is_no_list);
  const std::set<std::string> known = matches(src, R"-(\.name = "(HEDDLE_[A-Z_0-9]+)")-", is_table);
  EXPECT_GE(read.size(), 7u);
  EXPECT_EQ(known, read) << table << " has other variables than the sources read";
}

TEST(EnvironmentVariables, DoctorKnowsThoseOfTests) {
  const std::set<std::string> known = matches(sources("src", endings), "\"(HEDDLE_[A-Z_0-9]+)\"", is_list);
  for (const char* folder : {"tests", "bench"})
    for (const std::string& name :
         matches(sources(folder, endings), R"-((?:getenv|set)\("(HEDDLE_[A-Z_0-9]+)"\))-", is_no_list))
      EXPECT_TRUE(known.count(name)) << name << " is read in " << folder << "/, and " << doctor << " does not know it";
}

TEST(EnvironmentVariables, SomeDocumentExplainsEach) {
  std::string pages;
  for (const SourceText& file : sources("docs", {".md"}))
    for (const std::string& line : file.lines) pages += line + "\n";
  for (const std::string& name : matches(sources("src", endings), R"-(\.name = "(HEDDLE_[A-Z_0-9]+)")-", is_table))
    EXPECT_NE(pages.find("| `" + name + "` |"), std::string::npos) << "no table of docs/ explains " << name;
}

}  // namespace
}  // namespace heddle::tests
