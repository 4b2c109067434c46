// Puts measured figures beside the paper's. Usage: lithos_figures PAGE.md CHART.svg [RESULTS.json]
#include <fmt/format.h>

#include <exception>

#include "base/file.hpp"
#include "tables.hpp"

int main(int count, char** arguments) {
  using namespace heddle;
  using namespace heddle::bench;
  if (count != 3 && count != 4) {
    fmt::print(stderr, "usage: {} PAGE.md CHART.svg [RESULTS.json]\n", arguments[0]);
    return 2;
  }
  try {
    const auto figures = count == 4 ? grcuda::Figures::parse(base::read_file(arguments[3])) : grcuda::Figures();
    base::write_file_atomic(
        arguments[1], std::string_view(grcuda::with_tables(base::read_file(arguments[1]), lithos::tables(figures))));
    base::write_file_atomic(arguments[2], std::string_view(lithos::chart(figures)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
