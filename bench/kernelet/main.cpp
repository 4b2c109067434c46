// Kernelet's evaluation (Zhong and He, arXiv 1303.5164, section 5) on simulated GPUs and real ones: the model
// against what is measured, and the total times of four mixes of kernels under several policies.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "heddle/error.hpp"
#include "kernelet/experiment.hpp"
#include "support/addresses.hpp"

namespace {

using namespace heddle;

// What matters most comes first: a run may be stopped, and goes on there when it is started again.
void run_all(const bench::kernelet::ExperimentOptions& options, bench::Results& results, bool pairs) {
  bench::kernelet::Experiment experiment(options, results);
  experiment.profile_kernels();
  experiment.run_mixes({"base", "kernelet"});
  if (pairs) experiment.measure_pairs();
  experiment.run_mixes({"opt", "kernelet:constant", "serial", "kernelet:balanced", "kernelet:chains"});
  experiment.compare_mixes();
  const bool is_gpu = options.machine.starts_with("cuda:");
  if (pairs && is_gpu) experiment.search_pairs();
  if (pairs && !is_gpu) {
    experiment.replay_mixes();
    experiment.run_random();
  }
  experiment.check();
  results.write();
  experiment.complete();
}

}  // namespace

int main(int count, char** arguments) {
  bench::fix_addresses(arguments);
  std::vector<std::string> machines = {"fermi-c2050", "kepler-gtx680"};
  bench::kernelet::ExperimentOptions options;
  options.kernels = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels";
  bool no_pairs = false;
  CLI::App app("Kernelet's evaluation on simulated GPUs and real ones.");
  app.add_option("--machine", machines, "simulated GPUs, by name or machine file, or cuda:0");
  app.add_option("--instances", options.instances, "of each kernel of a mix")->capture_default_str();
  app.add_option("--fill", options.fill, "times as many blocks of each launch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--ratios", options.ratios, "of each pair that are measured")->capture_default_str();
  app.add_option("--schedules", options.schedules, "random ones")->capture_default_str();
  app.add_option("--seed", options.seed, "of arrivals")->capture_default_str();
  app.add_option("--mix", options.mixes, "of CI, MI, MIX, ALL");
  app.add_option("--policy", options.policies, "of the mixes, if not all; serial, base and kernelet are compared");
  app.add_flag("--no-pairs", no_pairs, "only profiles and mixes; OPT then knows no pair");
  CLI11_PARSE(app, count, arguments);
  try {
    bench::Results results("kernelet");
    for (const std::string& machine : machines) {
      options.machine = machine;
      run_all(options, results, !no_pairs);
    }
    return results.finish();
  } catch (const Error& error) {
    fmt::print(stderr, "kernelet: {}\n", error.what());
    return 1;
  }
}
