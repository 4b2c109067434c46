// GPGPU-Sim 4.2 and the simulated GPU: the same PTX, grids and machine. Cycles beside those of a GPU, and speed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "agreement.hpp"
#include "base/file.hpp"
#include "support/folders.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"
#include "survey.hpp"

namespace {

namespace fs = std::filesystem;
using namespace heddle::bench;
using namespace heddle::bench::peers;
using nlohmann::json;

const std::vector<std::string> kernels = {"spmv",   "mvt_rows",      "mvt_columns", "transpose",
                                          "reduce", "black_scholes", "gemm",        "saxpy"};

// Cycles of these rows' kernels on the GPU; the file is of against_gpu. Kernels that take the GPU no longer than its
// launches differ by are left out: their cycles, less those of a launch, are noise.
struct Gpu {
  std::string name;
  std::vector<double> cycles;
  std::vector<Row> rows;  // of these kernels
};
Gpu read_gpu(const fs::path& file, const std::vector<Row>& rows) {
  constexpr double noise = 2000;  // cycles
  if (!fs::exists(file)) return {};
  const json measured = json::parse(heddle::base::read_file(file));
  Gpu gpu{measured["device"], {}, {}};
  for (const Row& row : rows)
    for (const json& one : measured["cases"])
      if (one["name"] == row.kernel && one["cycles"] > noise) {
        gpu.cycles.push_back(one["cycles"]);
        gpu.rows.push_back(row);
      }
  if (gpu.rows.size() < 2) return {};
  return gpu;
}

// One figure of each row.
template <class Figure>
std::vector<double> of_rows(const std::vector<Row>& rows, const Figure& figure) {
  std::vector<double> all;
  for (const Row& row : rows) all.push_back(figure(row));
  return all;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

void print_cycles(const std::vector<Row>& rows, const Gpu& gpu) {
  fmt::print("| kernel | GPGPU-Sim | Heddle |\n|---|---:|---:|\n");
  for (const Row& row : rows)
    fmt::print("| {} | {:.0f} | {:.0f} |\n", row.kernel, row.gpgpusim.cycles, row.heddle.cycles);
  if (gpu.rows.empty()) return;
  const auto ours = of_rows(gpu.rows, [](const Row& row) { return row.heddle.cycles; });
  const auto theirs = of_rows(gpu.rows, [](const Row& row) { return row.gpgpusim.cycles; });
  const auto our_factors = relative_factors(ours, gpu.cycles), their_factors = relative_factors(theirs, gpu.cycles);
  fmt::print("\n| kernel | {} | GPGPU-Sim, ratio | Heddle, ratio |\n|---|---:|---:|---:|\n", gpu.name);
  for (std::size_t i = 0; i < gpu.rows.size(); ++i)
    fmt::print("| {} | {:.0f} | {:.2f} | {:.2f} |\n", gpu.rows[i].kernel, gpu.cycles[i], their_factors[i],
               our_factors[i]);
}

void print_speed(const std::vector<Row>& rows) {
  fmt::print("\n| kernel | warp instructions | GPGPU-Sim, s | Heddle, s | times |\n|---|---:|---:|---:|---:|\n");
  for (const Row& row : rows)
    fmt::print("| {} | {:.0f} | {:.1f} | {:.2f} | {:.1f} |\n", row.kernel, row.heddle.warp_instructions,
               row.gpgpusim.seconds, row.heddle.seconds, row.gpgpusim.seconds / row.heddle.seconds);
  fmt::print("\n");
}

void add_agreement(Results& results, const std::vector<Row>& rows, const Gpu& gpu) {
  const auto ours = [](const Row& row) { return row.heddle.cycles; };
  const auto theirs = [](const Row& row) { return row.gpgpusim.cycles; };
  results.add({"rank correlation with GPGPU-Sim",
               rank_correlation(of_rows(rows, theirs), of_rows(rows, ours)),
               "",
               {},
               "GPGPU-Sim"});
  if (gpu.rows.empty()) return;
  results.also_on(gpu.name);
  const auto of_ours = of_rows(gpu.rows, ours), of_theirs = of_rows(gpu.rows, theirs);
  const double distance = distance_of_ratios(of_ours, gpu.cycles),
               theirs_from = distance_of_ratios(of_theirs, gpu.cycles);
  results.add({"kernels that the GPU can tell apart from a launch", static_cast<double>(gpu.rows.size()), "", {}});
  results.add({"rank correlation with the GPU", rank_correlation(gpu.cycles, of_ours), "", {}, "cycles of the GPU"});
  results.add({"rank correlation of GPGPU-Sim with the GPU", rank_correlation(gpu.cycles, of_theirs), "", {}});
  results.add({"distance of GPGPU-Sim's ratios from the GPU's", theirs_from, "", {}});
  results.add({"distance of ratios from the GPU's", distance, "", at_most(theirs_from), "GPGPU-Sim"});
}

int report(const std::vector<Row>& rows, const fs::path& gpu_file) {
  if (rows.size() < 2) throw std::runtime_error("fewer than two kernels ran on both simulators");
  const Gpu gpu = read_gpu(gpu_file, rows);
  if (gpu.rows.empty()) fmt::print("no GPU's cycles of these kernels in {}\n", gpu_file.string());
  print_cycles(rows, gpu);
  print_speed(rows);
  Results results("sim-peers");
  for (const Row& row : rows) {
    results.add({row.kernel + ": cycles", row.heddle.cycles / row.gpgpusim.cycles, "x", {}, "GPGPU-Sim"});
    results.add({row.kernel + ": speed", row.gpgpusim.seconds / row.heddle.seconds, "x", {}, "GPGPU-Sim"});
  }
  const auto faster = of_rows(rows, [](const Row& row) { return row.gpgpusim.seconds / row.heddle.seconds; });
  const double instructions = sum(of_rows(rows, [](const Row& row) { return row.heddle.warp_instructions; }));
  const double our_seconds = sum(of_rows(rows, [](const Row& row) { return row.heddle.seconds; }));
  const double their_seconds = sum(of_rows(rows, [](const Row& row) { return row.gpgpusim.seconds; }));
  results.add({"kernels", static_cast<double>(rows.size()), "", at_least(8)});
  results.add({"speed, geometric mean", geometric_mean(faster), "x", at_least(15), "GPGPU-Sim"});
  results.add({"speed, least", *std::min_element(faster.begin(), faster.end()), "x", {}, "GPGPU-Sim"});
  results.add({"warp instructions", instructions / our_seconds, "/s", {}});
  results.add({"warp instructions of GPGPU-Sim", instructions / their_seconds, "/s", {}});
  add_agreement(results, rows, gpu);
  return results.finish();
}

int run_one(const std::string& simulator, const std::string& kernel, const fs::path& with, const std::string& sizes) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path() / "kernels";
  const auto size = sizes == "full" ? comparison::Sizes::full : comparison::Sizes::small;
  const Figures figures =
      simulator == "heddle" ? run_on_heddle(kernel, size, folder, with) : run_on_gpgpusim(kernel, size, folder, with);
  const json made = {{"cycles", figures.cycles},
                     {"thread_instructions", figures.thread_instructions},
                     {"warp_instructions", figures.warp_instructions},
                     {"seconds", figures.seconds}};
  heddle::base::write_file_atomic("figures.json", std::string_view(made.dump()));
  std::fflush(stdout);
  std::_Exit(0);  // GPGPU-Sim's threads do not end
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("GPGPU-Sim 4.2 and the simulated GPU: the same PTX, grids and machine.");
  std::string checkout, rows, gpu, simulator, kernel, with, sizes;
  bool full = false;
  std::vector<std::string> only = kernels;
  Survey survey{.machine = HEDDLE_PEERS_MACHINE};
  app.add_option("--gpgpu-sim", checkout, "a checkout of GPGPU-Sim 4.2 that has been built (docs/simulator.md)");
  app.add_option("--only", only, "these kernels");
  app.add_flag("--full", full, "the sizes of against_gpu; hours on GPGPU-Sim");
  app.add_option("--gpu", gpu, "cycles of a GPU, a file of against_gpu");
  app.add_option("--rows", rows, "a file that keeps the figures of each run; what it has is not run again");
  app.add_option("--seconds", survey.seconds, "the most for one run");
  CLI::App* one = app.add_subcommand("one", "one kernel in this process; figures.json in the working folder");
  one->group("");
  one->add_option("simulator", simulator)->required();
  one->add_option("kernel", kernel)->required();
  one->add_option("with", with, "the machine file, or GPGPU-Sim's library")->required();
  one->add_option("sizes", sizes)->required();
  CLI11_PARSE(app, argc, argv);
  try {
    if (*one) return run_one(simulator, kernel, with, sizes);
    if (checkout.empty() && rows.empty()) {
      fmt::print(
          "left out: --gpgpu-sim FOLDER names no checkout of GPGPU-Sim 4.2, and --rows FILE no figures of it "
          "(docs/simulator.md)\n");
      return 0;
    }
    survey.sizes = full ? comparison::Sizes::full : comparison::Sizes::small;
    survey.program = fs::read_symlink("/proc/self/exe");
    if (!checkout.empty()) survey.checkout = fs::canonical(checkout);
    survey.rows =
        rows.empty() ? results_folder() / (full ? "sim-peers-full.rows" : "sim-peers.rows") : fs::absolute(rows);
    if (gpu.empty()) gpu = source_root() / "docs/results/sim-h100" / (full ? "h100.json" : "h100-small.json");
    return report(run_survey(survey, only), gpu);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sim_peers: {}\n", error.what());
    return 1;
  }
}
