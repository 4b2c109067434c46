// heddle sim: what reports of simulated GPUs say, and many runs on them.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/sim_sweep.hpp"
#include "simreport/figures.hpp"
#include "simreport/page.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> files;
  std::string html, svg;
};

// Reads all before anything is printed or written.
std::vector<simreport::Run> read(const Options& options) {
  const std::vector<fs::path> inputs(options.files.begin(), options.files.end());
  if (!options.html.empty()) check_output("--html", options.html, inputs, base::FileKind::html);
  if (!options.svg.empty()) check_output("--svg", options.svg, inputs, base::FileKind::svg);
  std::vector<base::Output> outputs;
  if (!options.html.empty()) outputs.push_back({"--html", options.html});
  if (!options.svg.empty()) outputs.push_back({"--svg", options.svg});
  check_outputs(outputs);
  std::vector<simreport::Run> runs;
  for (const fs::path& input : inputs) {
    runs.push_back(simreport::read_run(input));
    if (runs.back().launches.empty())
      throw std::runtime_error(input.string() + " has no launch: the program made none, or ended before its first one");
  }
  return runs;
}

void add_report(CLI::App& sim) {
  auto options = std::make_shared<Options>();
  CLI::App* command = sim.add_subcommand("report", "what a report of a simulated GPU says");
  command->add_option("file", options->files, "a file that --device sim:MACHINE,report=FILE.json has written")
      ->required()
      ->expected(1);
  command->add_option("--html", options->html, "one page with pictures instead, which needs no network; - prints it");
  command->add_option("--svg", options->svg, "a picture of the first launch's slots over time instead; - prints it");
  command->callback([options] {
    const simreport::Run run = read(*options).front();
    const std::string launches =
        std::to_string(run.launches.size()) + (run.launches.size() == 1 ? " launch" : " launches");
    if (!options->html.empty()) write_output(options->html, simreport::report_page(run), launches, "HTML");
    if (!options->svg.empty()) write_output(options->svg, simreport::slots_picture(run), launches, "SVG");
    if (options->html.empty() && options->svg.empty()) fmt::print("{}", simreport::report_text(run));
  });
}

// Figures of a launch that has failed are those until then, which nobody should take for a result.
void throw_if_failed(const Options& options, const std::vector<simreport::Run>& runs) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t k = 0; k < runs[i].launches.size(); ++k) {
      const simreport::Launch& launch = runs[i].launches[k];
      if (launch.failure.empty()) continue;
      text += fmt::format("{}{}, launch {} of {}, {}, has failed, and its figures are those until then: {}",
                          text.empty() ? "" : "\n", options.files[i], k + 1, runs[i].launches.size(), launch.kernel,
                          launch.failure);
    }
  if (!text.empty()) throw std::runtime_error(text);
}

void add_compare(CLI::App& sim) {
  auto options = std::make_shared<Options>();
  CLI::App* command = sim.add_subcommand("compare", "the figures of several reports side by side");
  command->add_option("files", options->files, "two reports or more")->required()->expected(2, 64);
  command->add_option("--html", options->html, "one page with pictures instead; - prints it");
  command->callback([options] {
    const std::vector<simreport::Run> runs = read(*options);
    if (options->html.empty())
      fmt::print("{}", simreport::compare_text(runs));
    else
      write_output(options->html, simreport::compare_page(runs), base::counted(runs.size(), "run"), "HTML");
    throw_if_failed(*options, runs);
  });
}

}  // namespace

void add_sim(CLI::App& app) {
  CLI::App* sim = app.add_subcommand("sim", "reports of simulated GPUs: report, compare; sweep runs many simulations");
  sim->require_subcommand(1);
  add_report(*sim);
  add_compare(*sim);
  add_sim_sweep(*sim);
}

}  // namespace heddle::cli
