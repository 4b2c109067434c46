// Puts measured figures beside the paper's. Usage: grcuda_figures PAGE.md CHART.svg [RESULTS.json]
#include <fmt/format.h>

#include <exception>

#include "base/file.hpp"
#include "page.hpp"

int main(int count, char** arguments) {
  using namespace heddle;
  using namespace heddle::bench::grcuda;
  if (count != 3 && count != 4) {
    fmt::print(stderr, "usage: {} PAGE.md CHART.svg [RESULTS.json]\n", arguments[0]);
    return 2;
  }
  try {
    const Figures figures = count == 4 ? Figures::parse(base::read_file(arguments[3])) : Figures();
    base::write_file_atomic(arguments[1],
                            std::string_view(with_tables(base::read_file(arguments[1]), tables(figures))));
    base::write_file_atomic(arguments[2], std::string_view(chart(figures)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
