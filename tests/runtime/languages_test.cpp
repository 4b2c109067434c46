// Row 16 of GrCUDA's checklist: one program, written in C++ and (python/tests/test_languages.py) in Python, has one
// DAG, that of tests/data/languages/vec.dag.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "heddle/heddle.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

// A graph for Graphviz without times, and with its vertices numbered in the order in which they were launched.
std::string without_times(const std::string& dot) {
  static const std::regex vertex(R"re( *(v\d+) \[label="([^"]*)".*tooltip="[^,]*, ([^,]*), [^"]*"\];)re");
  static const std::regex edge(R"re( *(v\d+) -> (v\d+)(?: \[(.*)\])?;)re");
  std::map<std::string, std::size_t> numbers;
  std::string vertices, edges;
  std::istringstream lines(dot);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, vertex)) {
      const std::size_t number = numbers.emplace(found[1], numbers.size() + 1).first->second;
      vertices += std::to_string(number) + ": " + found[2].str() + ", " + found[3].str() + "\n";
    } else if (std::regex_match(line, found, edge)) {
      edges += std::to_string(numbers.at(found[1])) + " -> " + std::to_string(numbers.at(found[2])) +
               (found[3].matched ? " " + found[3].str() : "") + "\n";
    }
  }
  return vertices + edges;
}

TEST(Languages, HaveOneDag) {
  const TemporaryFolder folder;
  const std::filesystem::path data = test_data() / "data" / "languages", file = folder.path() / "t.dot";
  Runtime runtime({.devices = "cpu", .workers = 2, .trace = folder.path() / "t.json"});
  Module module = runtime.load_file(data / "vec.ptx");
  const Kernel square = module.kernel("square"), reduce = module.kernel("reduce"), add = module.kernel("add");
  constexpr int n = 64;
  auto x = runtime.array(std::vector<float>(n, 3)), y = runtime.array(std::vector<float>(n, 2)),
       z = runtime.array(std::vector<float>(1, 0)), sum = runtime.array(std::vector<float>(n, 0));
  const LaunchOptions shape{.grid = {2}, .block = {32}}, half{.grid = {1}, .block = {32}};
  runtime.launch(square, shape, x, n);
  runtime.launch(square, shape, y, n);
  runtime.launch(reduce, shape, x, y, z, n);
  EXPECT_EQ(z[0], 5 * n);
  runtime.launch(square, half, x.slice(0, n / 2), n / 2);
  runtime.launch(square, half, x.slice(n / 2), n / 2);
  runtime.launch(add, shape, x, sum, n);
  runtime.launch(add, shape, y, sum, n);
  EXPECT_EQ(sum[0], 85);
  EXPECT_EQ(sum[n - 1], 85);
  runtime.synchronize();
  runtime.trace(file);
  EXPECT_EQ(without_times(base::read_file(file)), base::read_file(data / "vec.dag"));
}

}  // namespace
}  // namespace heddle::tests
