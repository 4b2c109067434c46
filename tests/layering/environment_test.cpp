// heddle doctor knows every environment variable that something reads, and documents explain those of the program.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "layering/source_tree.hpp"

namespace heddle::tests {
namespace {

constexpr const char* list = "src/doctor/environment.cpp";

// What the pattern's first group matches in the files.
std::set<std::string> matches(const std::vector<SourceText>& files, const std::string& pattern, bool in_list) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (const SourceText& file : files) {
    if ((file.path == list) != in_list) continue;
    for (const std::string& line : file.lines)
      for (std::sregex_iterator match(line.begin(), line.end(), expression), end; match != end; ++match)
        found.insert((*match)[1]);
  }
  return found;
}

const std::vector<std::string> endings = {".cpp", ".hpp"};

TEST(EnvironmentVariables, DoctorKnowsThoseThatAreRead) {
  const auto src = sources("src", endings);
  const std::set<std::string> read = matches(src, "\"(HEDDLE_[A-Z_0-9]+)\"", false);
  const std::set<std::string> known = matches(src, R"-(\{"(HEDDLE_[A-Z_0-9]+)", "(?!HEDDLE_))-", true);
  EXPECT_GE(read.size(), 7u);
  EXPECT_EQ(known, read) << list << " has other variables than the sources read";
}

TEST(EnvironmentVariables, DoctorKnowsThoseOfTests) {
  const std::set<std::string> known = matches(sources("src", endings), "\"(HEDDLE_[A-Z_0-9]+)\"", true);
  for (const char* folder : {"tests", "bench"})
    for (const std::string& name :
         matches(sources(folder, endings), R"-((?:getenv|set)\("(HEDDLE_[A-Z_0-9]+)"\))-", false))
      EXPECT_TRUE(known.count(name)) << name << " is read in " << folder << "/, and " << list << " does not know it";
}

TEST(EnvironmentVariables, SomeDocumentExplainsEach) {
  std::string pages;
  for (const SourceText& file : sources("docs", {".md"}))
    for (const std::string& line : file.lines) pages += line + "\n";
  for (const std::string& name : matches(sources("src", endings), R"-(\{"(HEDDLE_[A-Z_0-9]+)", "(?!HEDDLE_))-", true))
    EXPECT_NE(pages.find("| `" + name + "` |"), std::string::npos) << "no table of docs/ explains " << name;
}

}  // namespace
}  // namespace heddle::tests
