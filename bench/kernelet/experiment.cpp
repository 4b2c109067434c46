#include "kernelet/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fail.hpp"
#include "batch/constants.hpp"
#include "batch/replay.hpp"
#include "device/sim/sim.hpp"
#include "device/sim/stepped.hpp"
#include "sched/make_policy.hpp"
#include "sched/policy/kernelet.hpp"
#include "support/statistics.hpp"

namespace heddle::bench::kernelet {
namespace {

// Blocks of a launch, in full SMs: so many that one fills the device for long (the paper has 72 to 200), and that all
// kernels take nearly as long alone.
double waves_of(const std::string& kernel) {
  static const std::map<std::string, double> waves = {{"pc", 6},  {"sad", 6},  {"spmv", 6}, {"st", 8},
                                                      {"mm", 12}, {"mriq", 8}, {"bs", 12},  {"tea", 8}};
  return waves.at(kernel);
}
unsigned resident_of(const std::string& kernel) {
  static const std::map<std::string, unsigned> blocks = {{"pc", 6}, {"sad", 8},  {"spmv", 5}, {"st", 8},
                                                         {"mm", 4}, {"mriq", 6}, {"bs", 8},   {"tea", 8}};
  return blocks.at(kernel);
}

double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1000; }

}  // namespace

Experiment::Experiment(const ExperimentOptions& options, Results& results) : options_(options), results_(results) {
  device_ = device::sim::make_sim_device(device::sim::parse_sim_options("sim:" + options_.machine));
  const auto machine = device::sim::SteppedMachine(*device_).machine();
  workloads_ = make_workloads(options_.kernels, [&](const std::string& kernel) {
    return static_cast<unsigned>(waves_of(kernel) * resident_of(kernel) * machine.sms);
  });
  for (const Workload& workload : workloads_)
    kernels_.push_back(std::make_unique<batch::Kernel>(*device_, workload.spec));
}

void Experiment::add(const std::string& name, double value, const std::string& unit, std::optional<Bar> bar) {
  fmt::print("{:60} {:12.4f} {}\n", options_.machine + "/" + name, value, unit);
  std::fflush(stdout);
  results_.add({options_.machine + "/" + name, value, unit, bar, {}});
}

void Experiment::profile_kernels() {
  const auto machine = device::sim::SteppedMachine(*device_).machine();
  corun_ = batch::corun_of(machine, batch::measure_latency(*device_));
  add("latency", corun_.sm.latency.base, "cycles");
  add("latency of a hit", corun_.sm.latency.hit, "cycles");
  add("latency for each request", corun_.sm.latency.per_request, "cycles");
  const double peak =
      static_cast<double>(machine.front.schedulers) * machine.front.issue_width / machine.front.issue_interval;
  double errors = 0;
  for (auto& kernel : kernels_) {
    kernel->traits = batch::profile(*device_, *kernel, corun_);
    const sched::KernelTraits& traits = *kernel->traits;
    fmt::print("{}", batch::profile_text(*kernel, traits, corun_.limits));
    sched::KernelTraits unmeasured = traits;
    unmeasured.alone_ipc = 0;
    const double modelled = sched::alone_ipc(corun_, unmeasured);
    add(fmt::format("alone/{}/simulated", kernel->name()), traits.alone_ipc, "IPC");
    add(fmt::format("alone/{}/model", kernel->name()), modelled, "IPC");
    add(fmt::format("alone/{}/PUR", kernel->name()), traits.kernel.pipeline_use, "");
    add(fmt::format("alone/{}/MUR", kernel->name()), traits.kernel.memory_use, "");
    add(fmt::format("alone/{}/R_m", kernel->name()), traits.kernel.profile.memory_ratio, "");
    errors += std::abs(modelled - traits.alone_ipc);
  }
  add("alone/mean error of the peak", errors / static_cast<double>(kernels_.size()) / peak, "", at_most(.1));
}

void Experiment::measure_pairs() {
  const auto machine = device::sim::SteppedMachine(*device_).machine();
  const double peak =
      static_cast<double>(machine.front.schedulers) * machine.front.issue_width / machine.front.issue_interval;
  std::vector<batch::Kernel*> all;
  for (auto& kernel : kernels_) all.push_back(kernel.get());
  std::vector<double> simulated, modelled, best_simulated, best_modelled;
  double errors = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const std::vector<batch::Kernel*> two = {all[i], all[j]};
      for (auto& [ids, ratios] : batch::measure_pairs(*device_, two, corun_, options_.ratios, 2)) {
        const bool in_order = all[i]->id() == ids.first;
        const sched::KernelTraits &a = *all[in_order ? i : j]->traits, &b = *all[in_order ? j : i]->traits;
        double best = -1, best_model = -1;
        for (const sched::MeasuredRatio& ratio : ratios) {
          const model::PairIpc ipc = sched::forecast(corun_, a, ratio.first_blocks, b, ratio.second_blocks);
          const double got = model::coscheduling_profit(ratio.together, a.alone_ipc, b.alone_ipc);
          const double forecast = model::coscheduling_profit(ipc, a.alone_ipc, b.alone_ipc);
          const std::string name = fmt::format("pair/{}+{}/{}:{}", all[in_order ? i : j]->name(),
                                               all[in_order ? j : i]->name(), ratio.first_blocks, ratio.second_blocks);
          add(name + "/simulated", got, "CP");
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
  const auto executor = batch::make_simulated_executor(*device_);
  return batch::run_batch(*executor, jobs_of(mix), std::move(policy), &corun_);
}

void Experiment::run_mixes() {
  for (const Mix& mix : mixes()) {
    if (std::find(options_.mixes.begin(), options_.mixes.end(), mix.name) == options_.mixes.end()) continue;
    std::map<std::string, double> total;
    for (const char* const name : {"base", "kernelet", "kernelet:balanced", "kernelet:constant", "serial", "opt"}) {
      if (std::string_view(name) == "opt" && table_.empty()) continue;
      const batch::BatchResult result = run(mix, policy(name));
      total[name] = microseconds(result.total_ns);
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
    const auto executor = batch::make_simulated_executor(*device_);
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
