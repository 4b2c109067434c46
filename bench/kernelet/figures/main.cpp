// kernelet_figures PAGE CHART RESULTS: writes the tables of a page, and the chart beside it.
#include <cstdio>
#include <string_view>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "page.hpp"

int main(int count, char** arguments) {
  using namespace heddle;
  if (count != 4) {
    std::fputs("usage: kernelet_figures PAGE.md CHART.svg RESULTS.json\n", stderr);
    return 2;
  }
  try {
    const auto figures = bench::kernelet::read_figures(arguments[3]);
    const std::string page = base::read_file(arguments[1]);
    base::write_file_atomic(arguments[1],
                            std::string_view(bench::kernelet::with_tables(page, bench::kernelet::tables(figures))));
    base::write_file_atomic(arguments[2], std::string_view(bench::kernelet::chart(figures)));
  } catch (const Error& error) {
    std::fprintf(stderr, "kernelet_figures: %s\n", error.what());
    return 1;
  }
}
