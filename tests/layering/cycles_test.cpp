// Files of a room include each other one way only: no header with its source leads back to itself, through however many
// others.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "layering/include_graph.hpp"
#include "layering/source_tree.hpp"

namespace heddle::tests {
namespace {

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
  const IncludeGraph graph = include_graph(sources("src", {".hpp", ".cpp", ".def", ".h", ".inc"}));
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

TEST(Cycles, TheShortestCycleOfEachTangleIsNamed) {
  const IncludeGraph graph = {{"a", {"b"}}, {"b", {"c", "d"}}, {"c", {"a", "b"}}, {"d", {"e"}},
                              {"e", {"f"}}, {"f", {"d"}},      {"g", {"a"}}};
  EXPECT_EQ(describe_tangles(graph),
            "3 files in a knot; a shortest cycle: d -> e -> f -> d\n"
            "3 files in a knot; a shortest cycle: b -> c -> b\n");
}

}  // namespace
}  // namespace heddle::tests
