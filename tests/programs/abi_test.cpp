// Programs built with Heddle's headers and programs built with NVIDIA's call the same library: layouts and numbers of
// the types must be the same. Compared with NVIDIA's own headers where those of CUDA 12 are found;
// $HEDDLE_CUDA12_INCLUDE names their folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "compile/headers.hpp"
#include "programs/command.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;

bool is_cuda_12(const fs::path& folder) {
  std::ifstream file(folder / "cuda_runtime_api.h");
  const std::regex version(R"(#define\s+CUDART_VERSION\s+12\d\d\d)");
  for (std::string line; std::getline(file, line);)
    if (std::regex_search(line, version)) return true;
  return false;
}

fs::path nvidias_headers() {
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("HEDDLE_CUDA12_INCLUDE")) folders.push_back(chosen);
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(fs::path(home) / "include");
  folders.push_back("/usr/local/cuda/include");
  for (int minor = 9; minor >= 0; --minor)
    folders.push_back("/usr/local/cuda-12." + std::to_string(minor) + "/include");
  for (const fs::path& folder : folders)
    if (is_cuda_12(folder)) return folder;
  return {};
}

// What a program prints of each constant, type and field.
struct Facts {
  std::set<std::string> statements;

  void add(const std::string& label, const std::string& value) {
    statements.insert("  printf(\"%s %lld\\n\", \"" + label + "\", (long long)(" + value + "));");
  }
  // Reads Heddle's own headers, which have one declaration a line: enumerators, and the fields of structures and of
  // what these hold that has a name.
  void read(const std::string& text) {
    static const std::regex constant(R"((\w+) = -?(?:0x)?[0-9a-f]+)"), opening(R"(^(?:struct|union) (\w+) \{$)"),
        closing(R"(^\};$)"), name(R"((\w+)(?:\[\d+\])*(?: : \d+)?[;,])");
    std::string type, line;
    int depth = 0;
    for (std::istringstream lines(text); std::getline(lines, line);) {
      std::smatch match;
      if (line.starts_with("enum ") || (type.empty() && line.starts_with("  ")))
        for (auto it = std::sregex_iterator(line.begin(), line.end(), constant); it != std::sregex_iterator(); ++it)
          add((*it)[1], (*it)[1]);
      if (std::regex_match(line, match, opening)) {
        type = match[1];
        add("sizeof " + type, "sizeof(" + type + ")");
        add("alignof " + type, "alignof(" + type + ")");
        continue;
      }
      if (type.empty()) continue;
      if (std::regex_match(line, closing)) {
        type.clear();
        continue;
      }
      if (line.ends_with("{")) ++depth;
      if (line.find('}') != line.npos) --depth;
      if (depth > 0 || line.ends_with("{") || line.find("(*") != line.npos || line.find(" : ") != line.npos) continue;
      for (auto it = std::sregex_iterator(line.begin(), line.end(), name); it != std::sregex_iterator(); ++it)
        add(type + "." + (*it)[1].str(), "offsetof(" + type + ", " + (*it)[1].str() + ")");
    }
  }
};

std::string program(const std::set<std::string>& statements) {
  std::string text = "#include <cuda_runtime_api.h>\n#include <stddef.h>\n#include <stdio.h>\nint main() {\n";
  for (const std::string& statement : statements) text += statement + "\n";
  return text + "}\n";
}

// Names that the headers do not have: an older minor version than the one that Heddle's follow.
std::set<std::string> unknown_names(const std::string& diagnostics) {
  static const std::regex unknown(
      R"((?:undeclared identifier|unknown type name|no member named|undeclared|has no member named) ['‘]?(\w+))");
  static const std::regex gcc(R"((?:‘|')(\w+)(?:’|') (?:was not declared|has not been declared))");
  std::set<std::string> names;
  for (const std::regex* form : {&unknown, &gcc})
    for (auto it = std::sregex_iterator(diagnostics.begin(), diagnostics.end(), *form); it != std::sregex_iterator();
         ++it)
      names.insert((*it)[1]);
  return names;
}

class Abi : public testing::Test {
 protected:
  // The program's output, or what the compiler says.
  Ran facts(const std::set<std::string>& statements, const fs::path& include, const std::string& name) const {
    const fs::path source = folder_.path() / (name + ".cpp"), made = folder_.path() / name;
    std::ofstream(source) << program(statements);
    const Ran built = run_command("LC_ALL=C c++ -w -fmax-errors=0 -Wno-invalid-offsetof -I" + quoted(include) +
                                  // NVIDIA packs crt/ apart from the runtime's headers.
                                  " -idirafter /usr/local/cuda/include " + quoted(source) + " -o " + quoted(made));
    return built.code == 0 ? run_command(quoted(made)) : built;
  }
  TemporaryFolder folder_;
};

TEST_F(Abi, TypesAreThoseOfCuda12) {
  const fs::path nvidias = nvidias_headers();
  if (nvidias.empty())
    GTEST_SKIP()
        << "NO HEADERS OF CUDA 12 HERE: layouts were compared with nothing. HEDDLE_CUDA12_INCLUDE names a folder.";
  const compile::HeaderFolder headers;
  Facts all;
  for (const compile::EmbeddedHeader& header : compile::embedded_headers())
    if (header.path.starts_with("heddle/runtime_") && header.path != "heddle/runtime_forms.h" &&
        header.path != "heddle/runtime_functions.h")
      all.read(std::string(header.text));
  ASSERT_GT(all.statements.size(), 1000u);
  Ran theirs = facts(all.statements, nvidias, "theirs");
  if (theirs.code != 0) {
    const std::set<std::string> unknown = unknown_names(theirs.output);
    std::erase_if(all.statements, [&](const std::string& statement) {
      return std::any_of(unknown.begin(), unknown.end(), [&](const std::string& name) {
        return std::regex_search(statement, std::regex("\\b" + name + "\\b"));
      });
    });
    theirs = facts(all.statements, nvidias, "theirs");
  }
  ASSERT_EQ(theirs.code, 0) << theirs.output.substr(0, 2000);
  EXPECT_GT(all.statements.size(), 900u);
  const Ran ours = facts(all.statements, headers.path(), "ours");
  ASSERT_EQ(ours.code, 0) << ours.output.substr(0, 2000);
  std::istringstream our_lines(ours.output), their_lines(theirs.output);
  for (std::string our, their; std::getline(our_lines, our) && std::getline(their_lines, their);) EXPECT_EQ(our, their);
}

}  // namespace
}  // namespace heddle::tests
