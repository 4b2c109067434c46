// What decisions of Kernelet's policy cost the host: no device, and slices that end one by one. Eight kernels, of each
// of which 16 launches wait; two of them run in slices.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>

#include "device/owned_event.hpp"
#include "sched/dispatcher.hpp"
#include "sched/make_policy.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;

constexpr std::uint64_t launches_of_each = 16, blocks = 2400;

// As profiled on kepler-gtx680.
struct Figures {
  model::BlockNeeds needs;
  unsigned least_blocks;
  struct {
    double memory_ratio, uncoalesced, accesses_per_wait, misses, far;
  } profile;
  struct {
    double instructions, ipc, memory_use;
  } alone;
  model::Demands demands;
};
const std::array<Figures, 8> kernels = {{
    // PC
    {{256, 9, 0},
     2,
     {0.069, 0.5, 1.0, 0.98, 0.98},
     {232, 0.0724, 0.1511},
     {{0.199, 0.124, 0, 0, 0, 0.207, 0.043, 0, 12.905, 0, 0.695, 13.724}, 0.069, model::Away::always(113.8)}},
    // SAD
    {{32, 32, 0},
     1,
     {0.1455, 0, 1.1, 0.21, 0.17},
     {997, 0.5482, 0.0267},
     {{0.215, 0.168, 0, 0, 0.001, 0.15, 0.003, 0, 0.598, 0, 0.174, 0.189}, 0.1455, model::Away::always(27.3)}},
    // SPMV
    {{256, 22, 0},
     1,
     {0.2311, 0, 1.5, 0.69, 0.42},
     {1696, 1.1198, 0.6079},
     {{0.201, 0.122, 0.013, 0, 0, 0.259, 0.014, 0, 0.681, 0, 0.733, 0.889}, 0.2311, model::Away::always(5.9)}},
    // ST
    {{128, 17, 0},
     1,
     {0.191, 0, 1.3, 0.43, 0.22},
     {2680, 1.3327, 0.2336},
     {{0.2, 0.116, 0.028, 0, 0.003, 0.2, 0.012, 0, 0.571, 0, 0.46, 0.749}, 0.191, model::Away::always(0)}},
    // MM
    {{256, 25, 2048},
     1,
     {0.0314, 0, 1.1, 0.55, 0.27},
     {4336, 1.87, 0.0415},
     {{0.222, 0.035, 0.039, 0, 0, 0.542, 0.012, 0, 0.089, 0.502, 0.07, 0.028}, 0.0314, model::Away::always(0)}},
    // MRIQ
    {{256, 17, 0},
     1,
     {0.0097, 0, 5.0, 0.99, 0.99},
     {4128, 4.9001, 0.156},
     {{0.171, 0.04, 0.103, 0, 0.124, 0.021, 0.009, 0, 0.022, 0, 0.019, 0.043}, 0.0097, model::Away::always(11.4)}},
    // BS
    {{128, 26, 0},
     1,
     {0.065, 0, 5.0, 1, 1.00},
     {2460, 1.9906, 0.4467},
     {{0.196, 0.059, 0.081, 0, 0.117, 0.078, 0.007, 0, 0.335, 0, 0.13, 0.502}, 0.065, model::Away::always(0)}},
    // TEA
    {{128, 15, 0},
     1,
     {0.0016, 0, 2.0, 2, 1.00},
     {4916, 4.3653, 0.0734},
     {{0.195, 0.193, 0, 0, 0, 0.005, 0.007, 0, 0.013, 0, 0.01, 0.021}, 0.0016, model::Away::always(12.3)}},
}};

sched::KernelTraits traits_of(std::uint64_t id, const Figures& figures, bool network) {
  sched::KernelTraits made;
  made.id = id;
  made.alone_ipc = figures.alone.ipc;
  model::Candidate& kernel = made.kernel;
  kernel.needs = figures.needs;
  kernel.least_blocks = figures.least_blocks;
  kernel.block_instructions = figures.alone.instructions;
  kernel.pipeline_use = figures.alone.ipc / 4;
  kernel.memory_use = figures.alone.memory_use;
  kernel.profile.memory_ratio = figures.profile.memory_ratio;
  kernel.profile.uncoalesced = figures.profile.uncoalesced;
  kernel.profile.accesses_per_wait = figures.profile.accesses_per_wait;
  kernel.profile.misses = figures.profile.misses;
  kernel.profile.far = figures.profile.far;
  if (network) kernel.demands = figures.demands;
  return made;
}

struct Machine {
  const char* name;
  bool network;
  unsigned processors;
  sched::CoRunDevice device = {};
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The policy, with the time of its decisions.
class TimedPolicy final : public sched::Policy {
 public:
  explicit TimedPolicy(std::string_view name) : policy_(sched::make_policy(name)) {}
  void decide(const sched::View& view, std::vector<sched::Decision>& decisions) override {
    const auto begin = std::chrono::steady_clock::now();
    policy_->decide(view, decisions);
    seconds += seconds_since(begin);
    ++calls;
    if (why.empty()) why = policy_->explain();
    if (again == 0 || !decisions.empty()) return;
    sched::View same = view;
    same.completions = {};
    const auto first = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < again; ++i) policy_->decide(same, decisions);
    seconds_again = seconds_since(first) / std::exchange(again, 0);
  }
  bool sees_ranges() const override { return policy_->sees_ranges(); }
  bool decides_all() const override { return policy_->decides_all(); }
  void ended(const sched::Completion& completion) override { policy_->ended(completion); }
  bool has_enough_in_flight() const override { return policy_->has_enough_in_flight(); }

  double seconds = 0, seconds_again = 0;
  std::uint64_t calls = 0;
  unsigned again = 0;  // how often the next decision that changes nothing is repeated
  std::string why;     // the first choice

 private:
  const std::unique_ptr<sched::Policy> policy_;
};

// A device whose slices end when they are told to.
struct Flying {
  const sched::KernelTraits* traits;
  std::shared_ptr<device::OwnedEvent> end;
};
class Launch final : public sched::Work {
 public:
  Launch(std::deque<Flying>& flying, const sched::KernelTraits& traits) : flying_(flying), traits_(traits) {}
  std::string_view name() const override { return "kernel"; }
  std::size_t place() const override { return 0; }
  BlockRange blocks() const override { return {0, ::blocks}; }
  bool divisible() override { return true; }
  const sched::KernelTraits* corun() const override { return &traits_; }
  std::shared_ptr<device::Event> take_event() override { return next_ = std::make_shared<device::OwnedEvent>(); }
  void give_event(std::shared_ptr<device::Event>) override {}
  void submit(BlockRange, bool, const device::Partition*, device::Event*) override {
    flying_.push_back({&traits_, next_});
  }

 private:
  std::deque<Flying>& flying_;
  const sched::KernelTraits& traits_;
  std::shared_ptr<device::OwnedEvent> next_;
};

class Run {
 public:
  explicit Run(const Machine& machine) {
    for (std::size_t i = 0; i < kernels.size(); ++i) traits_[i] = traits_of(i + 1, kernels[i], machine.network);
    auto timed = std::make_unique<TimedPolicy>("kernelet");
    policy = timed.get();
    dispatcher_ = std::make_unique<sched::Dispatcher>(
        std::move(timed),
        std::vector<sched::Dispatcher::Device>{{.processors = machine.processors, .corun = &machine.device}},
        [](std::size_t, const std::vector<unsigned>&) { return nullptr; }, mutex_, watcher_);
    const base::Lock lock(mutex_);
    queue_ = &dispatcher_->add_queue("queue", 0);
    dispatcher_->set_suspended(*queue_, true);
    for (std::uint64_t launch = 0; launch < launches_of_each; ++launch)
      for (const sched::KernelTraits& traits : traits_) hold(traits);
    dispatcher_->set_suspended(*queue_, false);
  }
  ~Run() {
    while (!flying_.empty()) end_a_slice(false);
  }
  // If so many launches wait no more, others come.
  void end_a_slice(bool refill = true) {
    clock_->advance(1000);
    const Flying first = std::move(flying_.front());
    flying_.pop_front();
    first.end->complete(clock_->now_ns());
    const base::Lock lock(mutex_);
    if (refill && dispatcher_->held() < launches_of_each * kernels.size()) hold(*first.traits);
  }
  std::size_t flying() const { return flying_.size(); }
  TimedPolicy* policy = nullptr;

 private:
  void hold(const sched::KernelTraits& traits) {
    dispatcher_->hold_after(*queue_, std::make_unique<Launch>(flying_, traits), {});
  }
  std::array<sched::KernelTraits, kernels.size()> traits_;
  std::deque<Flying> flying_;
  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::shared_ptr<base::Watcher> watcher_ = base::make_watcher(clock_);
  base::Mutex mutex_;
  std::unique_ptr<sched::Dispatcher> dispatcher_;
  sched::LaunchQueue* queue_ = nullptr;
};

Machine gtx680() {
  Machine made{"GTX680, network", true, 8};
  made.device.sm.schedulers = 4;
  model::SmLimits& limits = made.device.limits;
  limits.blocks = 16;
  limits.shared = limits.block_shared = 48 * 1024;
  made.device.launch_cycles = 3000;
  return made;
}

// Slices in two queues of each kernel.
Machine h100() {
  Machine made{"H100, chains", false, 132};
  made.device.limits = *model::limits_of(90);
  made.device.sm.schedulers = 4;
  made.device.sm.latency = {.base = 700, .per_request = .5, .uncoalesced_base = 700, .hit = 250};
  made.device.launch_cycles = 20'000;
  made.device.slice_cycles = 1000;
  made.device.lanes = 2;
  return made;
}

void measure(const Machine& machine, unsigned rounds, bench::Results& results) {
  const auto add = [&](const char* name, double value, const char* unit) {
    results.add({fmt::format("decisions/{}/{}", machine.name, name), value, unit, {}, {}});
  };
  std::vector<double> firsts;
  for (unsigned i = 0; i < 9; ++i) {
    const Run run(machine);
    firsts.push_back(run.policy->seconds);
  }
  add("the first, in which all pairs are solved", *std::min_element(firsts.begin(), firsts.end()) * 1e6, "us");
  Run run(machine);
  fmt::print("{}: {}\n", machine.name, run.policy->why);
  run.end_a_slice();
  run.policy->again = rounds;
  run.end_a_slice();
  if (run.policy->seconds_again > 0) add("nothing has changed", run.policy->seconds_again * 1e9, "ns");
  add("slices in flight", static_cast<double>(run.flying()), "");
  const std::uint64_t calls = run.policy->calls;
  const double seconds = run.policy->seconds;
  const double all = bench::time_once([&] {
    for (unsigned i = 0; i < rounds; ++i) run.end_a_slice();
  });
  add("decisions for each slice that ends", static_cast<double>(run.policy->calls - calls) / rounds, "");
  add("decisions of a slice, with the clock", (run.policy->seconds - seconds) / rounds * 1e9, "ns");
  add("a slice, with the dispatcher", all / rounds * 1e9, "ns");
}

}  // namespace

int main(int count, char** arguments) {
  unsigned rounds = 100'000;
  CLI::App app("What decisions of Kernelet's policy cost the host.");
  app.add_option("--rounds", rounds, "slices that end")->check(CLI::PositiveNumber)->capture_default_str();
  CLI11_PARSE(app, count, arguments);
  bench::Results results("kernelet");
  for (const Machine& machine : {gtx680(), h100()}) measure(machine, rounds, results);
  return results.finish();
}
