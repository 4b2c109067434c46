#include "cli/sim_sweep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/format.hpp"
#include "base/print_error.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "cli/command.hpp"
#include "sweep/runner.hpp"

namespace heddle::cli {
namespace {

struct Options {
  std::string file;
  std::vector<std::size_t> only;
  unsigned jobs = 0;
  bool list = false, show = false, wait = false;
};

void print_list(const sweep::Plan& plan) {
  base::Table table({{"run", base::Align::right}, {"machine"}, {"kernel"}, {"options"}});
  for (const sweep::PlannedRun& run : plan.runs)
    table.add_row({std::to_string(run.number), run.machine, run.kernel, run.options});
  fmt::print("{}", table.text());
}

std::vector<sweep::PlannedRun> chosen_runs(const sweep::Plan& plan, const std::vector<std::size_t>& only) {
  if (only.empty()) return plan.runs;
  std::vector<sweep::PlannedRun> runs;
  for (const std::size_t number : std::set<std::size_t>(only.begin(), only.end())) {
    if (number == 0 || number > plan.runs.size())
      throw UsageError(fmt::format("--only {}: the sweep has runs 1 to {}", number, plan.runs.size()));
    runs.push_back(plan.runs[number - 1]);
  }
  return runs;
}

// Waits until no other process works on these runs, or for so long. Does the runs of processes that have ended.
void wait_for_others(const std::vector<sweep::PlannedRun>& runs, sweep::Results& results,
                     const std::function<void(const std::vector<sweep::PlannedRun>&)>& work,
                     std::chrono::milliseconds most) {
  constexpr std::chrono::milliseconds longest_pause{1000};
  std::chrono::milliseconds pause{50}, waited{0};
  while (true) {
    std::vector<sweep::PlannedRun> others;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(others), [&](const sweep::PlannedRun& run) {
      const auto result = results.find(run);
      return result && result->state == "running";
    });
    if (others.empty() || waited >= most) return;
    std::this_thread::sleep_for(pause);
    waited += pause;
    pause = std::min(2 * pause, longest_pause);
    work(others);
  }
}

// What other processes have done meanwhile, or are still at: without it, progress that ends at [8/12] looks like an
// abort. `here`: runs that were there at the beginning, or were done by this process.
void tell_of_others(const std::vector<sweep::PlannedRun>& runs, sweep::Results& results,
                    const std::set<std::size_t>& here) {
  std::size_t ended = 0, under_way = 0;
  for (const sweep::PlannedRun& run : runs) {
    if (here.contains(run.number)) continue;
    const auto result = results.find(run);
    ++(result && result->state != "running" ? ended : under_way);
  }
  if (ended != 0)
    base::print_error("[{}/{}] {} {} done by another process\n", here.size() + ended, runs.size(),
                      base::counted(ended, "run"), ended == 1 ? "was" : "were");
  if (under_way != 0)
    base::print_error("[{}/{}] another process is at {}; --wait waits for it\n", here.size() + ended, runs.size(),
                      base::counted(under_way, "run"));
}

void run_sweep(const Options& options) {
  const sweep::Plan plan = sweep::read_plan(options.file);
  if (options.list) return print_list(plan);
  const std::vector<sweep::PlannedRun> runs = chosen_runs(plan, options.only);
  const base::SteadyClock clock;
  sweep::Results results(plan.results, clock);
  if (options.show) {
    fmt::print("{}", sweep::results_text(runs, results));
    return;
  }
  const auto is_done = [&](const sweep::PlannedRun& run) {
    const auto result = results.find(run);
    return result && result->state == "done";
  };
  std::set<std::size_t> here;
  for (const sweep::PlannedRun& run : runs)
    if (is_done(run)) here.insert(run.number);
  if (!here.empty()) base::print_error("{} of {} runs are there already\n", here.size(), runs.size());
  const auto work = [&](const std::vector<sweep::PlannedRun>& some) {
    sweep::run_all(plan, some,
                   {.program = std::filesystem::canonical("/proc/self/exe"),
                    .jobs = options.jobs != 0 ? options.jobs : std::max(std::thread::hardware_concurrency(), 1u),
                    .done = [&](const sweep::PlannedRun& run, const sweep::Result& result) {
                      here.insert(run.number);
                      base::print_error("[{}/{}] {} {} {}: {}\n", here.size(), runs.size(),
                                        base::printable(run.machine), base::printable(run.kernel),
                                        base::printable(run.options),
                                        result.state == "done"
                                            ? base::format_count(static_cast<std::uint64_t>(result.cycles)) + " cycles"
                                            : "failed: " + base::printable(result.error));
                    }});
  };
  work(runs);
  // Without --wait, too: a sweep that has just been killed may not have ended when this one begins.
  constexpr std::chrono::milliseconds until_killed_have_ended{1000};
  wait_for_others(runs, results, work, options.wait ? std::chrono::milliseconds::max() : until_killed_have_ended);
  tell_of_others(runs, results, here);
  fmt::print("{}", sweep::results_text(runs, results));
  for (const sweep::PlannedRun& run : runs)
    if (const auto result = results.find(run); result && result->state == "failed")
      throw std::runtime_error(fmt::format("run {} failed: {}", run.number, result->error));
}

}  // namespace

void add_sim_sweep(CLI::App& sim) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      sim.add_subcommand("sweep", "machines x kernels x options, each a simulation of its own; results in one file");
  command->add_option("file", options->file, "the sweep, TOML")->required();
  command->add_option("--jobs", options->jobs, "runs at a time (default: one for each core)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--only", options->only, "only the run with this number, as for a task of a job array")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--list", options->list, "print the runs with their numbers, and run none");
  command->add_flag("--wait", options->wait, "also wait for runs that other processes are at");
  command->add_flag("--show", options->show, "print the results that are there, and run none")
      ->excludes(command->get_option("--list"))
      ->excludes(command->get_option("--wait"));
  command->get_option("--list")->excludes(command->get_option("--wait"));
  command->callback([options] { run_sweep(*options); });
}

}  // namespace heddle::cli
