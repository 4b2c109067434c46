#include "tables.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "page.hpp"

namespace heddle::bench::sim_policies {

int make_tables(int argc, char** argv, const std::string& results_name, const MachineDescription& machine,
                const std::vector<TablePart>& parts, unsigned items) {
  Runner runner;
  runner.verbose = has_option(argc, argv, "--verbose");
  runner.items = number_of(argc, argv, "--items", items);
  runner.rounds = number_of(argc, argv, "--rounds", 1);
  choose_kernels(text_of(argc, argv, "--kernels"));
  const std::size_t first = number_of(argc, argv, "--skip", 0);
  const std::size_t most = number_of(argc, argv, "--parts", static_cast<unsigned>(parts.size()));
  Results results(results_name);
  std::string text;
  for (std::size_t i = first; i < parts.size() && i - first < most; ++i) {
    const std::string table = parts[i].make(runner, machine, results);
    fmt::print("{}\n\n{}\n", parts[i].title, table);
    std::fflush(stdout);
    text += fmt::format("### {}\n\n{}\n", parts[i].title, table);
  }
  if (const std::string page = text_of(argc, argv, "--page"); !page.empty()) write_page(page, text);
  return results.finish();
}

}  // namespace heddle::bench::sim_policies
