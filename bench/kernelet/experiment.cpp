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
#include "support/statistics.hpp"

namespace heddle::bench::kernelet {
namespace {

// Blocks of a launch, in full SMs: so many that one fills the device for long (the paper has 72 to 200), and that all
// kernels take nearly as long alone. Blocks of a GPU have more work, so that a slice takes longer than its launch.
struct Shape {
  double waves = 1;
  unsigned resident = 1;
  double gpu_waves = 1;
  unsigned gpu_resident = 1, gpu_work = 1;
};
const std::map<std::string, Shape>& shapes() {
  static const std::map<std::string, Shape> all = {
      {"pc", {6, 6, 10, 8, 48}}, {"sad", {6, 8, 12, 32, 16}}, {"spmv", {6, 5, 8, 8, 2}},  {"st", {8, 8, 5, 16, 4}},
      {"mm", {12, 4, 8, 8, 12}}, {"mriq", {8, 6, 10, 8, 24}}, {"bs", {12, 8, 12, 16, 3}}, {"tea", {8, 8, 12, 16, 24}}};
  return all;
}

double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1000; }

}  // namespace

Experiment::Experiment(const ExperimentOptions& options, Results& results)
    : options_(options), results_(results), is_gpu_(options.machine.starts_with("cuda:")) {
  device_ = is_gpu_ ? std::move(runtime::open_devices(options_.machine, {}).front())
                    : device::sim::make_sim_device(device::sim::parse_sim_options("sim:" + options_.machine));
  profiler_ = batch::make_profiler(*device_, base::process_watcher());
  workloads_ = make_workloads(options_.kernels, [&](const std::string& kernel) {
    const Shape& shape = shapes().at(kernel);
    return is_gpu_ ? Size{static_cast<unsigned>(shape.gpu_waves * shape.gpu_resident * profiler_->processors()),
                          shape.gpu_work}
                   : Size{static_cast<unsigned>(shape.waves * shape.resident * profiler_->processors()), 1};
  });
  for (const Workload& workload : workloads_)
    kernels_.push_back(std::make_unique<batch::Kernel>(*device_, workload.spec));
}

void Experiment::add(const std::string& name, double value, const std::string& unit, std::optional<Bar> bar) {
  fmt::print("{:60} {:12.4f} {}\n", options_.machine + "/" + name, value, unit);
  std::fflush(stdout);
  results_.add({options_.machine + "/" + name, value, unit, bar, {}});
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
  double errors = 0;
  for (auto& kernel : kernels_) {
    kernel->traits = batch::profile(*profiler_, *kernel, corun_);
    const sched::KernelTraits& traits = *kernel->traits;
    fmt::print("{}", batch::profile_text(*kernel, traits, corun_.limits));
    sched::KernelTraits unmeasured = traits;
    unmeasured.alone_ipc = 0;
    const double modelled = sched::alone_ipc(corun_, unmeasured);
    add(fmt::format("alone/{}/{}", kernel->name(), is_gpu_ ? "measured" : "simulated"), traits.alone_ipc, "IPC");
    add(fmt::format("alone/{}/model", kernel->name()), modelled, "IPC");
    add(fmt::format("alone/{}/PUR", kernel->name()), traits.kernel.pipeline_use, "");
    add(fmt::format("alone/{}/MUR", kernel->name()), traits.kernel.memory_use, "");
    add(fmt::format("alone/{}/R_m", kernel->name()), traits.kernel.profile.memory_ratio, "");
    errors += std::abs(modelled - traits.alone_ipc);
  }
  add("alone/mean error of the peak", errors / static_cast<double>(kernels_.size()) / peak, "", at_most(.1));
}

void Experiment::measure_pairs() {
  const double peak = peak_ipc();
  std::vector<batch::Kernel*> all;
  for (auto& kernel : kernels_) all.push_back(kernel.get());
  std::vector<double> simulated, modelled, best_simulated, best_modelled;
  double errors = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const std::vector<batch::Kernel*> two = {all[i], all[j]};
      for (auto& [ids, ratios] : batch::measure_pairs(*profiler_, two, corun_, options_.ratios, 2)) {
        const bool in_order = all[i]->id() == ids.first;
        const sched::KernelTraits &a = *all[in_order ? i : j]->traits, &b = *all[in_order ? j : i]->traits;
        double best = -1, best_model = -1;
        for (const sched::MeasuredRatio& ratio : ratios) {
          const model::PairIpc ipc = sched::forecast(corun_, a, ratio.first_blocks, b, ratio.second_blocks);
          const double got = model::coscheduling_profit(ratio.together, a.alone_ipc, b.alone_ipc);
          const double forecast = model::coscheduling_profit(ipc, a.alone_ipc, b.alone_ipc);
          const std::string name = fmt::format("pair/{}+{}/{}:{}", all[in_order ? i : j]->name(),
                                               all[in_order ? j : i]->name(), ratio.first_blocks, ratio.second_blocks);
          add(name + (is_gpu_ ? "/measured" : "/simulated"), got, "CP");
          add(name + "/model", forecast, "CP");
          simulated.push_back(got);
          modelled.push_back(forecast);
          best = std::max(best, got);
          best_model = std::max(best_model, forecast);
          errors += (std::abs(ipc.first - ratio.together.first) + std::abs(ipc.second - ratio.together.second)) / 2;
        }
        if (ratios.empty()) continue;
        best_simulated.push_back(best);
        best_modelled.push_back(best_model);
        table_[ids] = ratios;
      }
    }
  add("pairs/rank correlation of CP, all ratios", rank_correlation(simulated, modelled), "");
  add("pairs/rank correlation of CP", rank_correlation(best_simulated, best_modelled), "", at_least(.8));
  add("pairs/mean error of the peak", errors / static_cast<double>(simulated.size()) / peak, "", at_most(.1));
}

std::unique_ptr<sched::Policy> Experiment::policy(const std::string& name) {
  if (name != "opt") return sched::make_policy(name);
  sched::KerneletOptions options;
  options.prune = false;
  return std::make_unique<sched::KerneletPolicy>(std::make_unique<sched::MeasuredRates>(table_), options);
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

// The median of several runs.
double Experiment::time(const Mix& mix, const std::function<std::unique_ptr<sched::Policy>()>& make) {
  std::vector<double> times;
  for (unsigned i = 0; i < (is_gpu_ ? 3 : 1); ++i) times.push_back(microseconds(run(mix, make()).total_ns));
  return median(times);
}

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

std::vector<batch::Job> Experiment::jobs_of(const Mix& mix) {
  // So fast that kernels always wait.
  constexpr double per_second = 1e8;
  const auto times = batch::poisson_arrivals(per_second, mix.kernels.size() * options_.instances, options_.seed);
  std::vector<batch::Job> jobs;
  for (std::size_t i = 0; i < times.size(); ++i)
    jobs.push_back({kernels_[mix.kernels[i % mix.kernels.size()]].get(), times[i]});
  return jobs;
}

batch::BatchResult Experiment::run(const Mix& mix, std::unique_ptr<sched::Policy> policy) {
  const auto executor = batch::make_executor(*device_, base::process_watcher());
  return batch::run_batch(*executor, jobs_of(mix), std::move(policy), &corun_);
}

void Experiment::run_mixes() {
  for (const Mix& mix : mixes()) {
    if (std::find(options_.mixes.begin(), options_.mixes.end(), mix.name) == options_.mixes.end()) continue;
    std::map<std::string, double> total;
    for (const char* const name : {"base", "kernelet", "kernelet:balanced", "kernelet:constant", "serial", "opt"}) {
      if (std::string_view(name) == "opt" && table_.empty()) continue;
      const batch::BatchResult result = run(mix, policy(name));
      total[name] = is_gpu_ ? time(mix, [&] { return policy(name); }) : microseconds(result.total_ns);
      add(fmt::format("mix/{}/{}", mix.name, name), total[name], "us");
      if (std::string_view(name) != "kernelet") continue;
      for (const batch::Reason& reason : result.reasons)
        fmt::print("  {:9.1f} us  {}\n", microseconds(reason.at_ns), reason.text);
      const double later = (result.decision_seconds - result.longest_decision) /
                           static_cast<double>(std::max<std::uint64_t>(1, result.decisions - 1));
      add(fmt::format("decision/{}/longest", mix.name), result.longest_decision * 1e6, "us", at_most(1000));
      add(fmt::format("decision/{}/each later one", mix.name), later * 1e6, "us");
      add(fmt::format("decision/{}/share of the time", mix.name),
          later * static_cast<double>(result.decisions) * 1e6 / total[name], "", at_most(.01));
    }
    if (is_gpu_) {
      add_gpu_bars(mix, total);
      continue;
    }
    const bool complementary = mix.name == "MIX" || mix.name == "ALL";
    const double bar = !complementary ? 0 : mix.name == "MIX" ? .20 : .15;
    add(fmt::format("mix/{}/saved against base", mix.name), 1 - total["kernelet"] / total["base"], "", at_least(bar));
    add(fmt::format("mix/{}/saved against serial", mix.name), 1 - total["kernelet"] / total["serial"], "");
    if (total.contains("opt"))
      add(fmt::format("mix/{}/over opt", mix.name), total["kernelet"] / total["opt"] - 1, "", at_most(.05));
    add(fmt::format("mix/{}/constant model over kernelet", mix.name),
        total["kernelet:constant"] / total["kernelet"] - 1, "");
  }
}

void Experiment::add_gpu_bars(const Mix& mix, const std::map<std::string, double>& total) {
  const bool complementary = mix.name == "MIX" || mix.name == "ALL";
  const double kernelet = total.at("kernelet");
  add(fmt::format("mix/{}/kernelet over streams", mix.name), kernelet / total.at("base"), "x",
      at_most(complementary ? 1 : 1.02));
  add(fmt::format("mix/{}/kernelet over serial", mix.name), kernelet / total.at("serial"), "x",
      complementary ? std::optional(at_most(1)) : std::nullopt);
  if (total.contains("opt"))
    add(fmt::format("mix/{}/measured pairs over streams", mix.name), total.at("opt") / total.at("base"), "x");
  add(fmt::format("mix/{}/constant model over kernelet", mix.name), total.at("kernelet:constant") / kernelet, "x");
}

void Experiment::run_random() {
  const auto machine = device::sim::SteppedMachine(*device_).machine();
  const auto launch_ns = static_cast<std::uint64_t>(machine.launching.kernel_cycles * 1000 / machine.clocks.sm_mhz);
  const std::vector<Mix> all = mixes();
  const Mix& mix = *std::find_if(all.begin(), all.end(), [](const Mix& one) { return one.name == "MIX"; });
  const auto replay = [&](std::unique_ptr<sched::Policy> policy) {
    const auto executor = batch::make_replay_executor(corun_, table_, machine.sms, machine.clocks.sm_mhz, launch_ns);
    return microseconds(batch::run_batch(*executor, jobs_of(mix), std::move(policy), &corun_).total_ns);
  };
  const double kernelet = replay(policy("kernelet")), opt = replay(policy("opt"));
  std::vector<double> random;
  std::size_t best = 0;
  for (unsigned seed = 1; seed <= options_.schedules; ++seed) {
    random.push_back(replay(policy(fmt::format("mc:{}", seed))));
    if (random.back() < random[best]) best = random.size() - 1;
  }
  std::vector<double> sorted = random;
  std::sort(sorted.begin(), sorted.end());
  add("random/kernelet, replayed", kernelet, "us");
  add("random/opt, replayed", opt, "us");
  add("random/best", sorted.front(), "us");
  add("random/median", sorted[sorted.size() / 2], "us");
  add("random/worst", sorted.back(), "us");
  const auto better = std::count_if(random.begin(), random.end(), [&](double time) { return time < kernelet; });
  add("random/schedules better than kernelet", static_cast<double>(better), "", at_most(0));
  // The best of them for real.
  const double simulated = microseconds(run(mix, policy(fmt::format("mc:{}", best + 1))).total_ns);
  add("random/the best, simulated", simulated, "us");
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
