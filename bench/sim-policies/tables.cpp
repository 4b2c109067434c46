#include "tables.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/fail.hpp"
#include "page.hpp"
#include "support/addresses.hpp"

namespace heddle::bench::sim_policies {
namespace {

void write_picture(const std::filesystem::path& file, const std::vector<Chart>& charts) {
  std::ofstream out(file);
  out << grcuda::svg(charts);
  if (!out.flush()) base::fail(ErrorCode::io_error, "cannot write {}", file.string());
}

}  // namespace

int make_tables(int argc, char** argv, const PageProgram& program) {
  fix_addresses(argv);
  const bool quick = has_option(argc, argv, "--quick");
  Runner runner;
  runner.verbose = has_option(argc, argv, "--verbose");
  runner.items = number_of(argc, argv, "--items", quick ? program.quick_items : program.items);
  runner.rounds = number_of(argc, argv, "--rounds", 1);
  choose_kernels(text_of(argc, argv, "--kernels"));
  const std::size_t first = number_of(argc, argv, "--skip", 0);
  const std::size_t most = number_of(argc, argv, "--parts", static_cast<unsigned>(program.parts.size()));
  Results results(program.name);
  std::vector<Chart> charts;
  Output output{results, charts};
  std::string text;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = first; i < program.parts.size() && i - first < most; ++i) {
    const std::string table = program.parts[i].make(runner, program.machine, output);
    fmt::print("{}\n\n{}\n", program.parts[i].title, table);
    std::fflush(stdout);
    text += fmt::format("### {}\n\n{}\n", program.parts[i].title, table);
  }
  fmt::print("simulated in {:.0f} s{}\n\n",
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
             quick ? ", small sizes" : "");
  if (const std::string page = text_of(argc, argv, "--page"); !page.empty()) {
    const std::filesystem::path picture = std::filesystem::path(page).replace_extension(".svg");
    if (!charts.empty()) {
      write_picture(picture, charts);
      text = fmt::format("![Bars]({})\n\n", picture.filename().string()) + text;
    }
    write_page(page, text);
  }
  return results.finish();
}

}  // namespace heddle::bench::sim_policies
