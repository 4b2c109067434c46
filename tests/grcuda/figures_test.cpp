// The page with our figures beside the paper's, and its chart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bars.hpp"
#include "heddle/error.hpp"
#include "page.hpp"
#include "report.hpp"

namespace heddle::bench::grcuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// As the benchmark itself writes them.
std::string measured() {
  std::vector<Row> rows(2);
  for (Row& row : rows) row = {"VEC", "1 GB", 32, {}};
  rows[0].measured = {{0.010, 0.020, 0.010, 0.011, 0.012}, {1, 2, 1.0, 1.1, 1.2}, 3, ""};
  rows[1].block = 256;
  rows[1].measured = {{0.010, 0.045, 0.010, 0.011, 0.012}, {1, 4.5, 1.0, 1.1, 1.2}, 3, ""};
  std::vector<Shown> shown(1);
  shown[0] = {"VEC", "1 GB", 256, {0.25, 0.5, 0.75, 0.125, 1e-3, 2e-3}, {}, 0.006, 0.001, 0.012};
  Results results("unused");
  results.also_on("a GPU");
  add_results(rows, true, results);
  add_results(shown, true, results);
  return results.json();
}

TEST(GrcudaFigures, AreFoundByTheNamesThatTheBenchmarkGives) {
  const Figures figures = Figures::parse(measured());
  EXPECT_FALSE(figures.empty());
  EXPECT_DOUBLE_EQ(figures.value("VEC, over serial").value(), 3);
  EXPECT_DOUBLE_EQ(figures.value("all, over serial").value(), 3);
  EXPECT_DOUBLE_EQ(figures.value("lowest of all, over serial").value(), 2);
  EXPECT_EQ(figures.value("DL, over serial"), std::nullopt);
  EXPECT_THAT(figures.each("VEC", "over serial"), ElementsAre(2, 4.5));
  EXPECT_THAT(figures.each("VEC", "TC"), ElementsAre(50));
  EXPECT_THAT(figures.machine(), HasSubstr("a GPU"));
}

TEST(GrcudaFigures, HaveBarsOnGpusOnly) {
  std::vector<Row> rows(1);
  rows[0] = {"VEC", "1 GB", 32, {{1, 1, 1}, {1, 1.2, 0.9}, 3, ""}};
  Results bars("unused"), none("unused");
  add_results(rows, true, bars);
  add_results(rows, false, none);
  EXPECT_FALSE(bars.hold());
  EXPECT_TRUE(none.hold());
  const auto bar_of = [&](const std::string& name) {
    for (const bench::Result& result : bars.all())
      if (result.name == name) return result.bar ? result.bar->text() : "none";
    return std::string("no such result");
  };
  EXPECT_EQ(bar_of("all, over serial"), ">= 1.44");
  EXPECT_EQ(bar_of("VEC, over serial"), ">= 1");
  EXPECT_EQ(bar_of("lowest of all, over streams"), ">= 0.95");
  EXPECT_EQ(bar_of("all, over streams"), ">= 1");
}

TEST(GrcudaFigures, StandBesideThoseOfThePaper) {
  const std::string text = tables(Figures::parse(measured()));
  EXPECT_THAT(text, HasSubstr("| VEC | 1.12-1.14 | 2.35-2.45 | 2.33-2.55 | 3.00 | 2.00-4.50 |"));
  EXPECT_THAT(text, HasSubstr("| VEC | 1.80-2.20 | 1.00 | 1.10 | 1.20 |"));
  EXPECT_THAT(text, HasSubstr("| VEC | 34 | 8 | 0 | 7 | 25 | 50 | 75 | 12 | 0 |"));
  EXPECT_THAT(text, HasSubstr("| VEC | 0.96 | 0.56 | 0.53 | 0.50 |"));
  EXPECT_THAT(text, HasSubstr("| DL | 1.34-1.36 | 1.10-1.34 | 1.12-1.40 | - | - |"));
  EXPECT_THAT(text, Not(HasSubstr("Not measured yet")));
  EXPECT_THAT(tables(Figures()), HasSubstr("Not measured yet"));
}

TEST(GrcudaFigures, ReplaceThoseOfThePage) {
  const std::string page = "# Title\n<!-- figures -->\nold\n<!-- end of figures -->\nrest\n";
  EXPECT_EQ(with_tables(page, "new\n"), "# Title\n<!-- figures -->\n\nnew\n\n<!-- end of figures -->\nrest\n");
  EXPECT_EQ(with_tables(with_tables(page, "newer\n"), "new\n"), with_tables(page, "new\n"));
  EXPECT_THROW(with_tables("# Title\n", "new\n"), Error);
}

TEST(GrcudaFigures, ThatAreNoneAreRefused) {
  EXPECT_THROW(Figures::parse("{"), Error);
  EXPECT_THROW(Figures::parse("{}"), Error);
  EXPECT_THROW(Figures::parse("[{\"name\": \"x\"}]"), Error);
  EXPECT_THROW(Figures::parse("[{\"name\": 3, \"value\": 1}]"), Error);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Bars, AreDrawnWhereThereAreValues) {
  const std::string text =
      svg({{"A & B", {"x", "y<"}, {{"one", "#111111", {1.0, std::nullopt}}, {"two", "#222222", {2.5, 3.0}}}}});
  EXPECT_THAT(text, HasSubstr("A &amp; B"));
  EXPECT_THAT(text, HasSubstr("y&lt;"));
  EXPECT_EQ(count(text, "fill=\"#111111\""), 2u);  // one bar, and in the legend
  EXPECT_EQ(count(text, "fill=\"#222222\""), 3u);
  EXPECT_EQ(count(text, "<svg"), 1u);
  EXPECT_EQ(count(text, "</svg>"), 1u);
}

// A bar of twice the value is twice as high.
TEST(Bars, AreAsHighAsTheirValues) {
  const std::string text = svg({{"t", {"g"}, {{"a", "#111111", {1.0}}, {"b", "#222222", {2.0}}}}});
  const auto height_of = [&](const std::string& colour) {
    const std::size_t bar = text.rfind("fill=\"" + colour);
    const std::size_t at = text.rfind("height=\"", bar) + 8;
    return std::stod(text.substr(at));
  };
  EXPECT_NEAR(height_of("#222222"), 2 * height_of("#111111"), 0.15);
}

TEST(GrcudaChart, HasAllOfThePaperAndOurs) {
  const std::string ours = chart(Figures::parse(measured())), none = chart(Figures());
  EXPECT_EQ(count(ours, "<rect") - count(none, "<rect"), 4u);
}

}  // namespace
}  // namespace heddle::bench::grcuda
