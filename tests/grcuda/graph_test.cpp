// Graphs for HITS: made ones and those of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <tuple>
#include <vector>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "hits_reference.hpp"
#include "support.hpp"

namespace heddle::bench::grcuda {
namespace {

using testing::HasSubstr;
using Edges = std::multimap<std::pair<int, int>, float>;

Edges edges_of(const SparseGraph& graph, bool transposed) {
  std::vector<int> begins(graph.vertices() + 1), columns(graph.edges());
  std::vector<float> values(graph.edges());
  graph.write({begins, columns, values}, transposed);
  EXPECT_EQ(begins.front(), 0);
  EXPECT_EQ(static_cast<std::size_t>(begins.back()), graph.edges());
  Edges edges;
  for (int row = 0; row < static_cast<int>(graph.vertices()); ++row) {
    for (auto k = static_cast<std::size_t>(begins[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(begins[static_cast<std::size_t>(row) + 1]); ++k)
      edges.emplace(transposed ? std::pair(columns[k], row) : std::pair(row, columns[k]), values[k]);
  }
  return edges;
}

TEST(SparseGraph, MadeOnesAreTransposedRight) {
  for (const std::size_t vertices : {16u, 17u, 96u, 1000u, 1001u, 4096u}) {
    const auto graph = make_random_graph(vertices);
    EXPECT_EQ(graph->edges(), 3 * vertices);
    EXPECT_EQ(edges_of(*graph, false), edges_of(*graph, true)) << vertices;
  }
}

TEST(SparseGraph, TheFirstEdgeIsFoundInTheTransposedMatrix) {
  const auto graph = make_random_graph(1000);
  std::vector<int> begins(1001), columns(3000);
  std::vector<float> values(3000), transposed(3000);
  graph->write({begins, columns, values}, false);
  graph->write({begins, columns, transposed}, true);
  EXPECT_EQ(values[0], transposed[graph->first_in_transposed()]);
  EXPECT_EQ(columns[graph->first_in_transposed()], 0);
}

class GraphFiles : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) {
    base::write_file_atomic(file_, text);
    return file_;
  }
  ~GraphFiles() override { std::filesystem::remove(file_); }
  std::string refusal(const std::string& text) {
    try {
      read_graph(file(text));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::filesystem::path file_ = testing::TempDir() + "/grcuda_graph_test.mtx";
};

TEST_F(GraphFiles, AreReadAndTransposed) {
  const auto graph =
      read_graph(file("%%MatrixMarket matrix coordinate real general\n4 4 5\n3 1 2\n1 2 3\n1 4 4\n4 4 5\n3 2 6\n"));
  const Edges expected{{{2, 0}, 2.0f}, {{0, 1}, 3.0f}, {{0, 3}, 4.0f}, {{3, 3}, 5.0f}, {{2, 1}, 6.0f}};
  EXPECT_EQ(edges_of(*graph, false), expected);
  EXPECT_EQ(edges_of(*graph, true), expected);
  // 1 2 is the first of the matrix, and comes behind 3 1 where columns are rows.
  EXPECT_EQ(graph->first_in_transposed(), 1u);
}

TEST_F(GraphFiles, ThatAreNoGraphsAreRefused) {
  const std::string header = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_THAT(refusal(header + "2 3 1\n1 1\n"), HasSubstr("a matrix of 2 x 3; a graph's is square"));
  EXPECT_THAT(refusal(header + "3 3 0\n"), HasSubstr("a graph without edges"));
  EXPECT_THAT(refusal(header + "3 3 1\n9 1\n"), HasSubstr("line 3: the row is 9"));
}

TEST_F(GraphFiles, GiveHitsThatIsAsTheReference) {
  std::string text = "%%MatrixMarket matrix coordinate pattern symmetric\n200 200 597\n";
  for (int i = 2; i <= 200; ++i)
    for (const int j : {1, i / 2, i - 1}) text += std::to_string(i) + " " + std::to_string(j) + "\n";
  const auto benchmark = make_hits(place, file(text));
  Runtime runtime({.devices = "cpu"});
  const auto program = benchmark->on_heddle(runtime);
  program->touch(0);
  program->run(small_shape);
  EXPECT_EQ(benchmark->difference(program->outputs()), "");
}

// Of a large graph only some vertices are computed, back through the iterations.
TEST(HitsReference, OfSomeVerticesAgreesWithThatOfAll) {
  const auto graph = make_random_graph(5000);
  const HitsReference all(*graph), some(*graph, 0);
  EXPECT_EQ(all.known(), 5000u);
  EXPECT_LT(some.known(), 100u);
  const auto benchmark = make_hits(place, std::uint64_t{5000} * 72);
  Runtime runtime({.devices = "cpu"});
  const auto program = benchmark->on_heddle(runtime);
  program->touch(0);
  program->run(small_shape);
  const Outputs outputs = program->outputs();
  const auto authorities = as<float>(outputs[0]), hubs = as<float>(outputs[1]);
  EXPECT_EQ(all.difference(authorities, hubs), "");
  EXPECT_EQ(some.difference(authorities, hubs), "");
  EXPECT_NE(all.difference(hubs, authorities), "");
  EXPECT_NE(some.difference(hubs, authorities), "");
}

}  // namespace
}  // namespace heddle::bench::grcuda
