// Total times of the mixes, and of random schedules.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "batch/replay.hpp"
#include "device/sim/stepped.hpp"
#include "kernelet/bound.hpp"
#include "kernelet/experiment.hpp"

#include "sched/make_policy.hpp"
#include "sched/policy/kernelet.hpp"
#include "support/statistics.hpp"

namespace heddle::bench::kernelet {
namespace {

double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1000; }

bool is_complementary(const Mix& mix) { return mix.name == "MIX" || mix.name == "ALL"; }

}  // namespace

std::unique_ptr<sched::Policy> Experiment::policy(const std::string& name) {
  if (name != "opt") return sched::make_policy(name);
  sched::KerneletOptions options;
  options.prune = false;
  return std::make_unique<sched::KerneletPolicy>(std::make_unique<sched::MeasuredRates>(table_), options);
}

// The median of several runs.
double Experiment::time(const Mix& mix, const std::function<std::unique_ptr<sched::Policy>()>& make) {
  std::vector<double> times;
  for (unsigned i = 0; i < (is_gpu_ ? 3 : 1); ++i) times.push_back(microseconds(run(mix, make()).total_ns));
  return median(times);
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

// Those of kernels that differ most first.
std::vector<Mix> Experiment::chosen_mixes() const {
  std::vector<Mix> chosen, all = mixes();
  std::stable_partition(all.begin(), all.end(), is_complementary);
  for (const Mix& mix : all)
    if (std::find(options_.mixes.begin(), options_.mixes.end(), mix.name) != options_.mixes.end())
      chosen.push_back(mix);
  return chosen;
}

// What the policy does in a mix, with what its decisions cost.
void Experiment::run_mix(const Mix& mix, const std::string& name) {
  std::optional<batch::BatchResult> ran;
  const auto result = [&]() -> const batch::BatchResult& {
    if (!ran) ran = run(mix, policy(name));
    return *ran;
  };
  const std::string total_name = fmt::format("mix/{}/{}", mix.name, name);
  const double total = keep(
      total_name, [&] { return is_gpu_ ? time(mix, [&] { return policy(name); }) : microseconds(result().total_ns); });
  totals_[mix.name][name] = total;
  add(total_name, total, "us");
  if (name != "kernelet") return;
  const auto cost = [&](const char* what, const std::function<double(const batch::BatchResult&)>& of) {
    return keep(fmt::format("decision/{}/{}", mix.name, what), [&] { return of(result()); });
  };
  const double longest = cost("longest", [](const batch::BatchResult& one) { return one.longest_decision * 1e6; });
  const double later = cost("each later one", [](const batch::BatchResult& one) {
    return (one.decision_seconds - one.longest_decision) * 1e6 /
           static_cast<double>(std::max<std::uint64_t>(2, one.decisions) - 1);
  });
  const double number =
      cost("number", [](const batch::BatchResult& one) { return static_cast<double>(one.decisions); });
  const double choices = cost("choices", [](const batch::BatchResult& one) { return one.choice_seconds * 1e6; });
  add(fmt::format("decision/{}/choices", mix.name), choices, "us");
  add(fmt::format("decision/{}/longest", mix.name), longest, "us", at_most(1000));
  add(fmt::format("decision/{}/each later one", mix.name), later, "us");
  add(fmt::format("decision/{}/share of the time", mix.name), later * number / total, "", at_most(.01));
  if (!ran) return;
  for (const batch::Reason& reason : ran->reasons)
    fmt::print("  {:9.1f} us  {}\n", microseconds(reason.at_ns), reason.text);
}

void Experiment::run_mixes(const std::vector<std::string>& policies) {
  const auto& chosen = options_.policies;
  for (const std::string& name : policies)
    for (const Mix& mix : chosen_mixes()) {
      if (name == "opt" && table_.empty()) continue;
      if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), name) == chosen.end()) continue;
      run_mix(mix, name);
      results_.write();
    }
}

void Experiment::compare_mixes() {
  for (const Mix& mix : chosen_mixes()) {
    const std::map<std::string, double>& total = totals_[mix.name];
    if (!total.contains("kernelet")) continue;
    if (is_gpu_) {
      if (options_.policies.empty()) add_gpu_bars(mix, total);
      continue;
    }
    const double kernelet = total.at("kernelet");
    const auto compare = [&](const char* with, const char* text, const std::function<double(double)>& by,
                             std::optional<Bar> bar = std::nullopt) {
      if (const auto at = total.find(with); at != total.end())
        add(fmt::format("mix/{}/{}", mix.name, text), by(at->second), "", bar);
    };
    const auto saved = [&](double other) { return 1 - kernelet / other; };
    compare("base", "saved against base", saved, at_least(!is_complementary(mix) ? 0 : mix.name == "MIX" ? .20 : .15));
    compare("serial", "saved against serial", saved);
    if (!table_.empty()) add_bound(mix);
    if (total.contains("base"))
      compare("opt", "opt, saved against base", [&](double opt) { return 1 - opt / total.at("base"); });
    compare("opt", "over opt", [&](double opt) { return kernelet / opt - 1; }, at_most(.05));
    compare("kernelet:constant", "constant model over kernelet", [&](double other) { return other / kernelet - 1; });
  }
  results_.write();
}

// What no order of pairs at the measured ratios can exceed: shortest_plan() for all launches, as if
// pairs began and ended at once.
void Experiment::add_bound(const Mix& mix) {
  std::vector<double> work;
  std::vector<Together> pairs;
  for (std::size_t i = 0; i < mix.kernels.size(); ++i) {
    const batch::Kernel& kernel = *kernels_[mix.kernels[i]];
    work.push_back(static_cast<double>(kernel.blocks()) * kernel.traits->kernel.block_instructions /
                   kernel.traits->alone_ipc);
    for (std::size_t j = 0; j < mix.kernels.size(); ++j) {
      const sched::KernelTraits &first = *kernel.traits, &second = *kernels_[mix.kernels[j]]->traits;
      const auto at = table_.find({first.id, second.id});
      if (at == table_.end()) continue;
      for (const sched::MeasuredRatio& ratio : at->second)
        pairs.push_back({i, j, ratio.together.first / first.alone_ipc, ratio.together.second / second.alone_ipc});
    }
  }
  const std::vector<double> times = shortest_plan(work, pairs);
  double saved = 0;
  for (std::size_t i = 0; i < times.size(); ++i) saved += times[i] * (pairs[i].first_speed + pairs[i].second_speed - 1);
  add(fmt::format("mix/{}/bound, saved against serial", mix.name),
      saved / std::accumulate(work.begin(), work.end(), 0.0), "");
}

void Experiment::add_gpu_bars(const Mix& mix, const std::map<std::string, double>& total) {
  const double kernelet = total.at("kernelet");
  add(fmt::format("mix/{}/kernelet over streams", mix.name), kernelet / total.at("base"), "x",
      at_most(is_complementary(mix) ? 1 : 1.02));
  add(fmt::format("mix/{}/kernelet over serial", mix.name), kernelet / total.at("serial"), "x",
      is_complementary(mix) ? std::optional(at_most(1)) : std::nullopt);
  if (total.contains("opt"))
    add(fmt::format("mix/{}/measured pairs over streams", mix.name), total.at("opt") / total.at("base"), "x");
  add(fmt::format("mix/{}/constant model over kernelet", mix.name), total.at("kernelet:constant") / kernelet, "x");
}

// The mixes at the rates that were measured of pairs, in no time: what the model's choices cost apart from what the
// simulated GPU makes of them.
double Experiment::replay(const Mix& mix, std::unique_ptr<sched::Policy> policy) {
  const auto machine = device::sim::SteppedMachine(*device_).machine();
  const auto launch_ns = static_cast<std::uint64_t>(machine.launching.kernel_cycles * 1000 / machine.clocks.sm_mhz);
  const auto executor = batch::make_replay_executor(corun_, table_, machine.sms, machine.clocks.sm_mhz, launch_ns);
  return microseconds(batch::run_batch(*executor, jobs_of(mix), std::move(policy), &corun_).total_ns);
}

void Experiment::replay_mixes() {
  for (const Mix& mix : mixes())
    for (const char* const name : {"serial", "kernelet", "kernelet:balanced", "kernelet:constant", "opt"})
      add(fmt::format("replayed/{}/{}", mix.name, name), replay(mix, policy(name)), "us");
}

void Experiment::run_random() {
  const std::vector<Mix> all = mixes();
  const Mix& mix = *std::find_if(all.begin(), all.end(), [](const Mix& one) { return one.name == "MIX"; });
  const double kernelet = replay(mix, policy("kernelet")), opt = replay(mix, policy("opt"));
  std::vector<double> random;
  std::size_t best = 0;
  for (unsigned seed = 1; seed <= options_.schedules; ++seed) {
    random.push_back(replay(mix, policy(fmt::format("mc:{}", seed))));
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
  const double simulated = keep("random/the best, simulated", [&] {
    return microseconds(run(mix, policy(fmt::format("mc:{}", best + 1))).total_ns);
  });
  add("random/the best, simulated", simulated, "us");
}

}  // namespace heddle::bench::kernelet
