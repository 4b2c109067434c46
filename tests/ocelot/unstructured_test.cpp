// Ocelot's kernels with irreducible control flow, on the CPU device and the interpreter, bit for bit. The kernels are
// not part of this repository: $HEDDLE_OCELOT_PTX names the folder tests/ptx of that project. A file in kernels/ says
// how one is launched:
//
//   // of unstructured/NAME.ptx        the file with the kernel
//   // set VARIABLE = BYTE, BYTE, ...  what a variable of the module holds at first
//   // writes no buffer               its results stay in variables of the module: all that can be seen is that it ends
//   // replace TEXT => OTHER           part of the file, once
//   //: launch ...                     directives as support/ptx_case.hpp has them
//   // behind the file:                and lines of PTX that are put behind it
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/fail.hpp"
#include "support/cpu_factory.hpp"
#include "support/places.hpp"
#include "support/ptx_test.hpp"

namespace heddle::test {
namespace {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) base::fail(ErrorCode::not_found, "cannot read {}", file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// ".b8 NAME[N];" becomes ".b8 NAME[N] = {...};".
void set_variable(std::string& ptx, const std::string& name, const std::string& bytes) {
  const std::size_t begin = ptx.find(".b8 " + name + "[");
  if (begin == std::string::npos) base::fail(ErrorCode::not_found, "no variable '{}'", name);
  ptx.insert(ptx.find(';', begin), " = {" + bytes + "}");
}

void replace(std::string& ptx, const std::string& part, const std::string& other) {
  const std::size_t begin = ptx.find(part);
  if (begin == std::string::npos) base::fail(ErrorCode::not_found, "the file has no '{}'", part);
  ptx.replace(begin, part.size(), other);
}

struct Kernel {
  std::string of, directives, behind;
  std::vector<std::pair<std::string, std::string>> variables, replacements;
  bool writes = true;
};

std::pair<std::string, std::string> split(const std::string& text, const std::string& separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string::npos) base::fail(ErrorCode::invalid_argument, "no '{}' in: {}", separator, text);
  return {text.substr(0, at), text.substr(at + separator.size())};
}

Kernel read_kernel(const std::filesystem::path& file) {
  Kernel kernel;
  std::istringstream lines(read_text(file));
  bool behind = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "// behind the file:")
      behind = true;
    else if (behind)
      kernel.behind += line + "\n";
    else if (line.starts_with("// of "))
      kernel.of = line.substr(6);
    else if (line.starts_with("// set "))
      kernel.variables.push_back(split(line.substr(7), " = "));
    else if (line.starts_with("// replace "))
      kernel.replacements.push_back(split(line.substr(11), " => "));
    else if (line == "// writes no buffer")
      kernel.writes = false;
    else
      kernel.directives += line + "\n";
  }
  return kernel;
}

class Unstructured : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Unstructured, EqualsTheInterpreter) {
  const char* folder = std::getenv("HEDDLE_OCELOT_PTX");
  if (!folder) GTEST_SKIP() << "NOT RUN: HEDDLE_OCELOT_PTX does not name Ocelot's folder of PTX tests";
  const Kernel kernel = read_kernel(GetParam());
  const std::filesystem::path file = std::filesystem::path(folder) / kernel.of;
  std::string ptx = read_text(file);
  for (const auto& [name, bytes] : kernel.variables) set_variable(ptx, name, bytes);
  for (const auto& [part, other] : kernel.replacements) replace(ptx, part, other);
  const std::vector<PtxCase> cases = parse_cases(kernel.directives + ptx + kernel.behind, file);
  ASSERT_EQ(cases.size(), 1u);
  const CaseResult result = run_case(cases[0], CpuFactory());
  EXPECT_EQ(check_case(cases[0], result), "");
  if (cases[0].error || !kernel.writes) return;
  bool changed = false;
  for (std::size_t i = 0; i < result.arguments.size(); ++i)
    changed |= result.arguments[i] != cases[0].arguments[i].values;
  EXPECT_TRUE(changed) << "the kernel has written nothing";
}

std::vector<std::filesystem::path> kernels() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests::test_data() / "ocelot" / "kernels"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Ocelot, Unstructured, testing::ValuesIn(kernels()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace heddle::test
