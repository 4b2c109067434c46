// The options of a runtime are the same in C, C++ and Python: src/c_api/runtime_options.def describes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {
namespace {

using Names = std::vector<std::string>;

Names described() {
  return {
#define HEDDLE_TEXT(name) #name,
#define HEDDLE_CHECKS(name) #name,
#define HEDDLE_NUMBER(name) #name,
#define HEDDLE_CHOICE(name, last) #name,
#define HEDDLE_SWITCH(name) #name,
#define HEDDLE_LIMIT(name, off) #name,
#include "c_api/runtime_options.def"
  };
}

std::string text_of(const char* file) {
  std::ifstream in(std::filesystem::path(HEDDLE_TEST_DATA) / ".." / file);
  EXPECT_TRUE(in) << file;
  std::ostringstream text;
  text << in.rdbuf();
  return std::regex_replace(text.str(), std::regex(R"(/\*[^*]*(\*[^/][^*]*)*\*/|//[^\n]*)"), "");
}

// The members of a structure without functions: the last word of each declaration, before what it is initialised with.
Names members(const std::string& text, const std::string& structure) {
  const std::size_t begin = text.find(structure + " {");
  EXPECT_NE(begin, text.npos) << structure;
  std::string body = text.substr(begin + structure.size() + 2, text.find("\n}", begin) - begin - structure.size() - 2);
  body = std::regex_replace(body, std::regex(R"(enum class \w+ \{[^}]*\};)"), "");
  Names names;
  const std::regex member(R"((\w+)( = [^;]*)?;)");
  for (std::sregex_iterator i(body.begin(), body.end(), member), end; i != end; ++i) names.push_back((*i)[1]);
  return names;
}

TEST(Options, OfCAreAsDescribed) {
  Names expected = described();
  expected.insert(expected.begin(), "size");
  EXPECT_EQ(members(text_of("include/heddle/heddle.h"), "struct heddle_runtime_options"), expected);
}

TEST(Options, OfCxxAreAsDescribed) {
  std::set<std::string> all;
  for (const std::string& name : members(text_of("include/heddle/runtime.hpp"), "struct RuntimeOptions"))
    all.insert(name);
  for (const std::string& name : members(text_of("include/heddle/scheduling.hpp"), "struct Scheduling"))
    all.insert(name);
  // For the explicit level, which C and Python do not have.
  for (const char* name : {"slice", "ranges", "scheduling", "on_finding"}) EXPECT_EQ(all.erase(name), 1u) << name;
  const Names names = described();
  EXPECT_EQ(all, std::set<std::string>(names.begin(), names.end()));
}

TEST(Options, OfPythonAreAsDescribed) {
  const std::string text = text_of("python/heddle/_runtime.py");
  for (const std::string& name : described())
    EXPECT_NE(text.find("\"" + name + "\""), text.npos) << name << " is no option of heddle.Runtime";
}

}  // namespace
}  // namespace heddle
