#include "kernelet/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/fail.hpp"
#include "batch/constants.hpp"
#include "batch/replay.hpp"
#include "device/sim/sim.hpp"
#include "device/sim/stepped.hpp"
#include "runtime/devices.hpp"
#include "sched/make_policy.hpp"
#include "sched/policy/kernelet.hpp"
#include "support/folders.hpp"
#include "support/statistics.hpp"

namespace heddle::bench::kernelet {
namespace {

// Blocks of a launch, in full SMs: so many that one fills the device for long (the paper has 72 to 200), and that all
// kernels take nearly as long alone. Work of a block: on simulated GPUs so much that kernels use pipelines and memory
// more nearly as the paper's do (its table IV); on GPUs more, so that a slice takes longer than its launch.
struct Shape {
  double waves = 1;
  unsigned resident = 1, work = 1;
  double gpu_waves = 1;
  unsigned gpu_resident = 1, gpu_work = 1;
};
const std::map<std::string, Shape>& shapes() {
  static const std::map<std::string, Shape> all = {{"pc", {6, 6, 1, 10, 8, 48}}, {"sad", {8, 8, 2, 12, 32, 16}},
                                                   {"spmv", {8, 5, 2, 8, 8, 2}}, {"st", {8, 8, 2, 5, 16, 4}},
                                                   {"mm", {8, 4, 2, 8, 8, 12}},  {"mriq", {4, 6, 4, 10, 8, 24}},
                                                   {"bs", {8, 8, 1, 12, 16, 3}}, {"tea", {3, 8, 4, 12, 16, 24}}};
  return all;
}

// Of steady state. With two, slices of another size changed the gain of a ratio by 0.06.
constexpr unsigned rounds_of_pairs = 6;

std::filesystem::path journal_file(const ExperimentOptions& options) {
  std::string machine = std::filesystem::path(options.machine).filename().string();
  std::replace(machine.begin(), machine.end(), ':', '-');
  return results_folder() / ("kernelet-" + machine + ".journal");
}
std::string words_of(const ExperimentOptions& options) {
  return fmt::format("{} instances {} fill {} ratios {} seed {}", options.machine, options.instances, options.fill,
                     options.ratios, options.seed);
}

}  // namespace

Experiment::Experiment(const ExperimentOptions& options, Results& results)
    : options_(options),
      results_(results),
      is_gpu_(options.machine.starts_with("cuda:")),
      journal_(journal_file(options), journal_key(words_of(options))) {
  device_ = is_gpu_ ? std::move(runtime::open_devices(options_.machine, {}).front())
                    : device::sim::make_sim_device(device::sim::parse_sim_options("sim:" + options_.machine));
  profiler_ = batch::make_profiler(*device_, base::process_watcher());
  workloads_ = make_workloads(options_.kernels, [&](const std::string& kernel) {
    const Shape& shape = shapes().at(kernel);
    const double sms = profiler_->processors();
    const double full = is_gpu_ ? shape.gpu_waves * shape.gpu_resident : shape.waves * shape.resident;
    return Size{static_cast<unsigned>(full * sms) * options_.fill, is_gpu_ ? shape.gpu_work : shape.work, is_gpu_};
  });
  for (const Workload& workload : workloads_)
    kernels_.push_back(std::make_unique<batch::Kernel>(*device_, workload.spec));
}

void Experiment::add(const std::string& name, double value, const std::string& unit, std::optional<Bar> bar) {
  fmt::print("{:60} {:12.4f} {}\n", options_.machine + "/" + name, value, unit);
  std::fflush(stdout);
  results_.add({options_.machine + "/" + name, value, unit, bar, {}});
}

double Experiment::keep(const std::string& name, const std::function<double()>& measure) {
  if (const auto known = journal_.find(name)) return *known;
  const double value = measure();
  journal_.keep(name, value);
  return value;
}

double Experiment::peak_ipc() const {
  if (is_gpu_) return profiler_->peak_ipc();
  const auto machine = device::sim::SteppedMachine(*device_).machine();
  return static_cast<double>(machine.front.schedulers) * machine.front.issue_width / machine.front.issue_interval;
}

void Experiment::profile_kernels() {
  corun_ = profiler_->corun(batch::measure_latency(*device_));
  add("latency", corun_.sm.latency.base, "cycles");
  add("latency of a hit", corun_.sm.latency.hit, "cycles");
  add("latency for each request", corun_.sm.latency.per_request, "cycles");
  if (is_gpu_) {
    add("launch", corun_.launch_cycles, "cycles");
    add("slice", corun_.slice_cycles, "cycles of the host");
  }
  const double peak = peak_ipc();
  double errors = 0, errors_of_chains = 0;
  for (auto& kernel : kernels_) {
    kernel->traits = batch::profile(*profiler_, *kernel, corun_);
    const sched::KernelTraits& traits = *kernel->traits;
    fmt::print("{}", batch::profile_text(*kernel, traits, corun_.limits));
    sched::KernelTraits unmeasured = traits;
    unmeasured.alone_ipc = 0;
    const double chains = sched::alone_ipc(corun_, unmeasured, sched::CoRunModel::chains);
    const double modelled = traits.forecast_ipc > 0 ? traits.forecast_ipc : chains;
    add(fmt::format("alone/{}/{}", kernel->name(), is_gpu_ ? "measured" : "simulated"), traits.alone_ipc, "IPC");
    add(fmt::format("alone/{}/model", kernel->name()), modelled, "IPC");
    add(fmt::format("alone/{}/chains", kernel->name()), chains, "IPC");
    add(fmt::format("alone/{}/PUR", kernel->name()), traits.kernel.pipeline_use, "");
    add(fmt::format("alone/{}/MUR", kernel->name()), traits.kernel.memory_use, "");
    add(fmt::format("alone/{}/R_m", kernel->name()), traits.kernel.profile.memory_ratio, "");
    errors += std::abs(modelled - traits.alone_ipc);
    errors_of_chains += std::abs(chains - traits.alone_ipc);
  }
  const double of = static_cast<double>(kernels_.size()) * peak;
  add("alone/mean error of the peak", errors / of, "", at_most(.1));
  add("alone/mean error of the peak, chains", errors_of_chains / of, "");
  results_.write();
}

sched::MeasuredRatio Experiment::measure_pair(batch::Kernel& first, unsigned first_blocks, batch::Kernel& second,
                                              unsigned second_blocks) {
  const std::string name = fmt::format("pair/{}+{}/{}:{}", first.name(), second.name(), first_blocks, second_blocks);
  std::optional<sched::MeasuredRatio> measured;
  const auto of = [&](const char* what, const std::function<double(const sched::MeasuredRatio&)>& value) {
    return keep(name + what, [&] {
      if (!measured)
        measured = batch::measure_pair(*profiler_, corun_, first, first_blocks, second, second_blocks, rounds_of_pairs);
      return value(*measured);
    });
  };
  sched::MeasuredRatio made{first_blocks, second_blocks, {}, 0, 0};
  made.together.first = of("/first IPC", [](const auto& ratio) { return ratio.together.first; });
  made.together.second = of("/second IPC", [](const auto& ratio) { return ratio.together.second; });
  made.first_on_sm = of("/first on SM", [](const auto& ratio) { return ratio.first_on_sm; });
  made.second_on_sm = of("/second on SM", [](const auto& ratio) { return ratio.second_on_sm; });
  return made;
}

void Experiment::measure_ratios(batch::Kernel& first, batch::Kernel& second, PairFigures& figures) {
  const sched::KernelTraits &a = *first.traits, &b = *second.traits;
  std::vector<sched::MeasuredRatio>& ratios = table_[{a.id, b.id}];
  std::array<double, 3> best;
  best.fill(-1e9);
  for (const auto& [of_a, of_b] : batch::some_ratios(corun_, first, second, options_.ratios)) {
    const sched::MeasuredRatio& measured = ratios.emplace_back(measure_pair(first, of_a, second, of_b));
    const model::PairIpc together = measured.together;
    const std::string name = fmt::format("pair/{}+{}/{}:{}", first.name(), second.name(), of_a, of_b);
    const auto profit = [&](const model::PairIpc& ipc) {
      return model::coscheduling_profit(ipc, a.alone_ipc, b.alone_ipc);
    };
    const model::PairIpc model = sched::forecast(corun_, a, of_a, b, of_b);
    const model::PairIpc chains = sched::forecast(corun_, a, of_a, b, of_b, sched::CoRunModel::chains);
    const std::array<double, 3> profits = {profit(together), profit(model), profit(chains)};
    add(name + (is_gpu_ ? "/measured" : "/simulated"), profits[0], "CP");
    add(name + "/model", profits[1], "CP");
    add(name + "/chains", profits[2], "CP");
    const auto error = [&](const model::PairIpc& ipc) {
      return (std::abs(ipc.first - together.first) + std::abs(ipc.second - together.second)) / 2;
    };
    figures.errors += error(model);
    figures.errors_of_chains += error(chains);
    ++figures.ratios;
    for (std::size_t i = 0; i < best.size(); ++i) {
      best[i] = std::max(best[i], profits[i]);
      figures.all[i].push_back(profits[i]);
    }
  }
  if (ratios.empty()) return;
  for (std::size_t i = 0; i < best.size(); ++i) figures.best[i].push_back(best[i]);
}

void Experiment::measure_pairs() {
  PairFigures figures;
  for (std::size_t i = 0; i < kernels_.size(); ++i)
    for (std::size_t j = i + 1; j < kernels_.size(); ++j) {
      batch::Kernel *first = kernels_[i].get(), *second = kernels_[j].get();
      if (first->id() > second->id()) std::swap(first, second);
      measure_ratios(*first, *second, figures);
    }
  results_.write();
  add("pairs/rank correlation of CP, all ratios", rank_correlation(figures.all[0], figures.all[1]), "");
  add("pairs/rank correlation of CP", rank_correlation(figures.best[0], figures.best[1]), "", at_least(.8));
  add("pairs/rank correlation of CP, chains", rank_correlation(figures.best[0], figures.best[2]), "");
  const double of = static_cast<double>(figures.ratios) * peak_ipc();
  add("pairs/mean error of the peak", figures.errors / of, "", at_most(.1));
  add("pairs/mean error of the peak, chains", figures.errors_of_chains / of, "");
}

namespace {

// The two kernels always run together, at this ratio.
class FixedRatio final : public sched::PairRates {
 public:
  FixedRatio(std::uint64_t first, unsigned first_blocks, unsigned second_blocks)
      : first_(first), blocks_{first_blocks, second_blocks} {}
  std::optional<model::CoSchedule> best(const sched::CoRunDevice& device, const sched::KernelTraits& first,
                                        const sched::KernelTraits& second, model::PairOptions::Ratio) override {
    const bool in_order = first.id == first_;
    model::CoSchedule made;
    made.first_blocks = blocks_[in_order ? 0 : 1];
    made.second_blocks = blocks_[in_order ? 1 : 0];
    made.together = sched::forecast(device, first, made.first_blocks, second, made.second_blocks);
    made.profit = 1;
    return made;
  }

 private:
  const std::uint64_t first_;
  const std::array<unsigned, 2> blocks_;
};

}  // namespace

void Experiment::search_pairs() {
  constexpr double near = 1.03, never = 1.02;
  std::size_t pairs = 0, found = 0, below = 0;
  for (std::size_t i = 0; i < kernels_.size(); ++i)
    for (std::size_t j = i + 1; j < kernels_.size(); ++j) {
      const Mix mix{fmt::format("{}+{}", kernels_[i]->name(), kernels_[j]->name()), {i, j}};
      const auto of = [&](const char* name) { return time(mix, [&] { return policy(name); }); };
      const double serial = of("serial"), streams = of("base"), chosen = of("kernelet");
      double best = std::min(serial, streams);
      std::string how = serial < streams ? "serial" : "streams";
      const sched::KernelTraits &a = *kernels_[i]->traits, &b = *kernels_[j]->traits;
      const auto ratios = sched::full_ratios(corun_.limits, a.kernel, b.kernel);
      for (const auto& [first, second] : ratios) {
        sched::KerneletOptions options;
        options.prune = false;
        const double sliced = time(mix, [&, first = first, second = second] {
          return std::make_unique<sched::KerneletPolicy>(std::make_unique<FixedRatio>(a.id, first, second), options);
        });
        if (sliced >= best) continue;
        best = sliced;
        how = fmt::format("{}:{}", first, second);
      }
      ++pairs;
      found += chosen <= best * near ? 1 : 0;
      below += chosen > streams * never ? 1 : 0;
      add(fmt::format("search/{}/serial", mix.name), serial, "us");
      add(fmt::format("search/{}/streams", mix.name), streams, "us");
      add(fmt::format("search/{}/best, {}", mix.name, how), best, "us");
      add(fmt::format("search/{}/kernelet", mix.name), chosen, "us");
    }
  add("search/pairs within 3 % of the best", static_cast<double>(found), "",
      at_least(20.0 / 28 * static_cast<double>(pairs)));
  add("search/pairs more than 2 % slower than streams", static_cast<double>(below), "", at_most(0));
}

void Experiment::check() {
  // Whole, then in random slices of two at a time.
  for (const char* const name : {"serial", "mc:1"}) {
    std::vector<batch::Job> jobs;
    for (auto& kernel : kernels_) {
      kernel->reset();
      jobs.push_back({kernel.get(), 0});
    }
    const auto executor = batch::make_executor(*device_, base::process_watcher());
    batch::run_batch(*executor, jobs, policy(name), &corun_);
    check_results(name);
  }
}

void Experiment::check_results(const std::string& how) {
  double worst = 0;
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const double off = workloads_[i].check(*kernels_[i]);
    if (off > 1)
      base::fail(ErrorCode::invalid_argument, "{} computes something else than the host: {} times what is permitted",
                 kernels_[i]->name(), off);
    worst = std::max(worst, off);
  }
  add(fmt::format("results/{}/worst deviation of what is permitted", how), worst, "", at_most(1));
}

}  // namespace heddle::bench::kernelet
