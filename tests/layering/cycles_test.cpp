// Files of a room include each other one way only: no header with its source leads back to itself, through however many
// others. What is known and not yet taken apart stands in cycle_exceptions.txt with its reason.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "layering/include_graph.hpp"
#include "layering/source_tree.hpp"

namespace heddle::tests {
namespace {

using Edges = std::vector<std::pair<std::string, std::string>>;

// Lines "NODE NODE reason": the first includes the second.
Edges read_exceptions(std::istream& in, std::string& complaints) {
  Edges edges;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string from, to, reason;
    words >> from >> to;
    std::getline(words, reason);
    if (reason.find_first_not_of(' ') == std::string::npos) complaints += "no exception with a reason: " + line + "\n";
    edges.emplace_back(from, to);
  }
  return edges;
}

// Takes the excepted edges out of the graph. Tells of those that are not there, or that no cycle needs.
std::string take_out(IncludeGraph& graph, const Edges& edges) {
  std::string complaints;
  for (const auto& [from, to] : edges)
    if (graph[from].erase(to) == 0) complaints += from + " does not include " + to + " (any more)\n";
  for (const auto& [from, to] : edges)
    if (!leads(graph, to, from)) complaints += "needs no exception any more: " + from + " " + to + "\n";
  return complaints;
}

// One line a tangle.
std::string describe_tangles(const IncludeGraph& graph) {
  std::string text;
  for (const auto& tangle : tangles(graph)) {
    text += std::to_string(tangle.size()) + " files in a knot; a shortest cycle:";
    const char* arrow = " ";
    for (const std::string& node : shortest_cycle(graph, tangle)) text += std::exchange(arrow, " -> ") + node;
    text += "\n";
  }
  return text;
}

SourceText file(std::string path, std::vector<std::string> lines) { return {std::move(path), std::move(lines)}; }

TEST(Cycles, NoFileLeadsBackToItself) {
  std::ifstream exceptions(source_folder() / "tests/layering/cycle_exceptions.txt");
  ASSERT_TRUE(exceptions);
  std::string complaints;
  const Edges known = read_exceptions(exceptions, complaints);
  IncludeGraph graph = include_graph(sources("src", {".hpp", ".cpp", ".def", ".h", ".inc"}));
  complaints += take_out(graph, known);
  EXPECT_EQ(complaints, "");
  EXPECT_EQ(describe_tangles(graph), "");
}

TEST(Cycles, AHeaderAndItsSourceAreOne) {
  const IncludeGraph graph =
      include_graph({file("src/a/x.hpp", {"#include \"b.hpp\"", "#include <c>"}),
                     file("src/a/x.cpp", {"#include \"a/x.hpp\"", "#include \"a/y.hpp\""}), file("src/a/b.hpp", {}),
                     file("src/a/y.hpp", {"#include \"a/t.def\""}), file("src/a/t.def", {})});
  EXPECT_EQ(graph.at("src/a/x"), (std::set<std::string>{"src/a/b", "src/a/y"}));
  EXPECT_EQ(graph.at("src/a/y"), (std::set<std::string>{"src/a/t.def"}));
}

TEST(Cycles, ACycleThroughASourceIsFound) {
  const IncludeGraph graph =
      include_graph({file("src/a/x.hpp", {}), file("src/a/x.cpp", {"#include \"a/y.hpp\""}), file("src/a/z.hpp", {}),
                     file("src/a/y.hpp", {"#include \"a/x.hpp\"", "#include \"a/z.hpp\""})});
  EXPECT_EQ(describe_tangles(graph), "2 files in a knot; a shortest cycle: src/a/x -> src/a/y -> src/a/x\n");
}

TEST(Cycles, TheShortestCycleOfEachTangleIsTold) {
  const IncludeGraph graph = {{"a", {"b"}}, {"b", {"c", "d"}}, {"c", {"a", "b"}}, {"d", {"e"}},
                              {"e", {"f"}}, {"f", {"d"}},      {"g", {"a"}}};
  EXPECT_EQ(describe_tangles(graph),
            "3 files in a knot; a shortest cycle: d -> e -> f -> d\n"
            "3 files in a knot; a shortest cycle: b -> c -> b\n");
}

TEST(Cycles, ExceptionsMustBeNeededAndHaveAReason) {
  std::string complaints;
  std::istringstream with("# a comment\na b why\n"), without("a b\n");
  EXPECT_EQ(read_exceptions(with, complaints), (Edges{{"a", "b"}}));
  EXPECT_EQ(complaints, "");
  read_exceptions(without, complaints);
  EXPECT_EQ(complaints, "no exception with a reason: a b\n");

  const IncludeGraph cycle = {{"a", {"b"}}, {"b", {"a", "c"}}, {"c", {}}};
  IncludeGraph graph = cycle;
  EXPECT_EQ(take_out(graph, {{"a", "b"}}), "");
  EXPECT_EQ(describe_tangles(graph), "");
  graph = cycle;
  EXPECT_EQ(take_out(graph, {{"b", "c"}}), "needs no exception any more: b c\n");
  graph = cycle;
  EXPECT_EQ(take_out(graph, {{"a", "c"}}), "a does not include c (any more)\nneeds no exception any more: a c\n");
}

}  // namespace
}  // namespace heddle::tests
