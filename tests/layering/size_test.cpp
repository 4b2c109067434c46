// Files and functions that can be read in one sitting. What must be larger stands in size_exceptions.txt with its
// reason.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "layering/source_tree.hpp"

namespace heddle::tests {
namespace {

constexpr std::size_t file_limit = 500, function_limit = 60;

struct Exceptions {
  std::set<std::string> files, functions;  // paths; "path name"
};

// Lines "file PATH reason" and "function PATH NAME reason".
Exceptions read_exceptions(std::istream& in, std::string& complaints) {
  Exceptions exceptions;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string kind, path, name, reason;
    words >> kind >> path;
    if (kind == "function") words >> name;
    std::getline(words, reason);
    if ((kind != "file" && kind != "function") || reason.find_first_not_of(' ') == std::string::npos) {
      complaints += "no exception with a reason: " + line + "\n";
    }
    (kind == "file" ? exceptions.files : exceptions.functions).insert(kind == "file" ? path : path + " " + name);
  }
  return exceptions;
}

struct Function {
  std::string name;
  std::size_t lines = 0;
};

// Name before the first '(' of a declaration: "Parser::parse" of "Module Parser::parse(std::string_view text) {".
std::string declared_name(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos) return "";
  std::size_t begin = open;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_' ||
                       text[begin - 1] == ':' || text[begin - 1] == '~')) {
    --begin;
  }
  return text.substr(begin, open - begin);
}

// Functions defined at the outermost level, as the project's format lays them out: the declaration begins in column 0,
// its body ends with "}" in column 0.
std::vector<Function> functions(const std::vector<std::string>& lines) {
  std::vector<Function> found;
  std::string declaration;
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (inside) {
      if (line == "}") {
        found.push_back({declared_name(declaration), i - start + 1});
        inside = false;
      }
      continue;
    }
    if (line.empty() || line[0] == ' ' || line[0] == '#' || line[0] == '/' || line[0] == '}') {
      // A continued declaration may end here.
      if (!declaration.empty() && line.rfind("    ", 0) == 0)
        declaration += line;
      else
        declaration.clear();
    } else {
      declaration = line;
      start = i;
    }
    if (declaration.empty() || line.empty() || line.back() != '{') continue;
    const bool function = declaration.find('(') != std::string::npos && declaration.rfind("namespace", 0) != 0 &&
                          declaration.rfind("struct", 0) != 0 && declaration.rfind("class", 0) != 0 &&
                          declaration.rfind("enum", 0) != 0 && declaration.rfind("extern \"C\" {", 0) != 0;
    inside = function;
    if (!function) declaration.clear();
  }
  return found;
}

// Lists of macros and declarations, which have no functions to measure.
bool is_table(const std::string& path) {
  return path.ends_with(".def") || path.ends_with(".inc") || path.ends_with(".h");
}

std::vector<SourceText> all_sources() {
  std::vector<SourceText> all;
  for (const char* folder : {"src", "include", "tests", "bench", "examples", "python"}) {
    for (SourceText& text : sources(folder, {".hpp", ".cpp", ".def", ".h", ".inc", ".cu"}))
      all.push_back(std::move(text));
  }
  return all;
}

TEST(Size, FilesAndFunctionsCanBeReadInOneSitting) {
  std::ifstream file(source_folder() / "tests/layering/size_exceptions.txt");
  std::string complaints;
  const Exceptions exceptions = read_exceptions(file, complaints);
  EXPECT_EQ(complaints, "");
  std::set<std::string> needed;
  for (const SourceText& source : all_sources()) {
    if (source.lines.size() > file_limit) {
      needed.insert(source.path);
      EXPECT_EQ(exceptions.files.count(source.path), 1u) << source.path << " has " << source.lines.size() << " lines";
    }
    if (is_table(source.path)) continue;
    for (const Function& function : functions(source.lines)) {
      if (function.lines <= function_limit) continue;
      const std::string key = source.path + " " + function.name;
      needed.insert(key);
      EXPECT_EQ(exceptions.functions.count(key), 1u) << key << " has " << function.lines << " lines";
    }
  }
  for (const auto& list : {exceptions.files, exceptions.functions}) {
    for (const std::string& key : list) EXPECT_EQ(needed.count(key), 1u) << "needs no exception any more: " << key;
  }
}

TEST(Size, MeasuresFunctions) {
  const std::vector<std::string> text = {"namespace a {",
                                         "int f(int x) {",
                                         "  return x;",
                                         "}",
                                         "",
                                         "std::string Some::g(int a,",
                                         "                   int b) {",
                                         "",
                                         "}",
                                         "}"};
  const std::vector<Function> found = functions(text);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "f");
  EXPECT_EQ(found[0].lines, 3u);
  EXPECT_EQ(found[1].name, "Some::g");
  EXPECT_EQ(found[1].lines, 4u);
}

TEST(Size, ExceptionsWantAReason) {
  std::istringstream good("file a.cpp one table\nfunction b.cpp f one switch\n"), bad("file a.cpp\n");
  std::string complaints;
  const Exceptions exceptions = read_exceptions(good, complaints);
  EXPECT_EQ(complaints, "");
  EXPECT_EQ(exceptions.functions.count("b.cpp f"), 1u);
  read_exceptions(bad, complaints);
  EXPECT_NE(complaints, "");
}

}  // namespace
}  // namespace heddle::tests
