// The cycles of microbenchmarks and kernels on a GPU, and on the simulated GPU that describes it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "agreement.hpp"
#include "base/file.hpp"
#include "cases.hpp"
#include "heddle/error.hpp"
#include "support/results.hpp"

namespace {

using namespace heddle::bench;
using namespace heddle::bench::comparison;
using nlohmann::json;

void measure(const std::string& device, const std::string& only, bool small, const std::string& output) {
  const std::string folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels";
  std::vector<Case> cases;
  if (!small) cases = microbenchmarks();
  for (Case& one : kernels(folder, small ? Sizes::small : Sizes::full)) cases.push_back(std::move(one));
  Measure measure(device);
  json rows = json::array();
  fmt::print("{}, {:.0f} MHz\n", measure.name(), measure.mhz());
  for (const Case& one : cases) {
    if (one.name.find(only) == one.name.npos) continue;
    const double cycles = one.cycles(measure);
    fmt::print("{:<45} {:12.2f} cycles\n", one.name, cycles);
    std::fflush(stdout);
    rows.push_back({{"name", one.name}, {"kernel", one.kernel}, {"cycles", cycles}});
  }
  const json all = {{"device", measure.name()}, {"mhz", std::round(measure.mhz())}, {"cases", rows}};
  if (!output.empty()) heddle::base::write_users_file(output, all.dump(1) + "\n");
}

int compare(const std::string& gpu_file, const std::string& simulated_file, const std::string& svg) {
  const json gpu = json::parse(heddle::base::read_file(gpu_file)),
             simulated = json::parse(heddle::base::read_file(simulated_file));
  std::vector<Pair> pairs;
  for (const json& one : gpu["cases"])
    for (const json& other : simulated["cases"])
      if (one["name"] == other["name"]) pairs.push_back({one["name"], one["kernel"], one["cycles"], other["cycles"]});
  if (pairs.empty()) throw std::runtime_error("the files have no case in common");
  Results results("sim-against-gpu");
  results.also_on(gpu["device"]);
  fmt::print("| case | {} | simulated | error |\n|---|---:|---:|---:|\n", gpu["device"].get<std::string>());
  for (const Pair& pair : pairs) {
    fmt::print("| {} | {:.4g} | {:.4g} | {:+.0f} % |\n", pair.name, pair.gpu, pair.simulated, 100 * pair.error());
    results.add({pair.name, pair.simulated / pair.gpu, "x", {}, "cycles of the GPU"});
  }
  results.add({"rank correlation of cycles", rank_correlation(pairs), "", at_least(0.95), "cycles of the GPU"});
  results.add(
      {"mean absolute error of cycles", 100 * mean_absolute_error(pairs), "%", at_most(30), "cycles of the GPU"});
  if (!svg.empty()) heddle::base::write_users_file(svg, scatter_svg(pairs, gpu["device"], simulated["device"]));
  return results.finish();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Cycles on a GPU, and on the simulated GPU that describes it.");
  app.require_subcommand(1);
  std::string device = "sim:hopper-h100", only, output, gpu, simulated, svg;
  bool small = false;
  CLI::App* one = app.add_subcommand("measure", "measure one device");
  one->add_option("--device", device, "cuda:N, or sim:MACHINE[,options]");
  one->add_option("--only", only, "cases whose names contain this");
  one->add_flag("--small", small, "the kernels alone, with sizes for slow simulators");
  one->add_option("-o,--output", output, "a file for the figures");
  CLI::App* both = app.add_subcommand("compare", "compare figures of two devices");
  both->add_option("gpu", gpu, "of the GPU")->required();
  both->add_option("simulated", simulated, "of the simulated GPU")->required();
  both->add_option("--svg", svg, "a file for the picture");
  CLI11_PARSE(app, argc, argv);
  try {
    if (*both) return compare(gpu, simulated, svg);
    measure(device, only, small, output);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "against_gpu: {}\n", error.what());
    return 1;
  }
}
