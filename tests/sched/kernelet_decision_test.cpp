// What Kernelet's policy decides, on views that are made by hand, and what it looks at for that.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>

#include "base/hash.hpp"
#include "sched/corun_device.hpp"
#include "sched/policy/kernelet.hpp"

namespace heddle::sched {
namespace {

constexpr std::size_t kinds = 8;

// From kernels that compute to kernels that wait for memory, of different shapes.
KernelTraits kernel(std::size_t number, bool network) {
  const auto i = static_cast<double>(number);
  KernelTraits made;
  made.id = number + 1;
  made.kernel.profile.memory_ratio = .01 + .04 * i;
  made.kernel.profile.uncoalesced = number % 3 == 2 ? .2 : 0;
  made.kernel.needs = {.threads = number % 2 == 0 ? 256u : 128u, .registers = static_cast<unsigned>(16 + 2 * number)};
  made.kernel.block_instructions = 1000 + 100 * i;
  made.kernel.pipeline_use = 1 - .1 * i;
  made.kernel.memory_use = .02 * i;
  if (!network) return made;
  model::Demands& demands = made.kernel.demands;
  demands.cycles[model::issue] = 1;
  demands.cycles[model::pipes] = 1 - .1 * i;
  demands.cycles[model::pipes + 4] = .1 + .05 * i;
  demands.cycles[model::port] = .1 + .2 * i;
  demands.cycles[model::link] = .3 * i;
  demands.cycles[model::dram] = .4 * i;
  demands.accesses = .02 + .04 * i;
  demands.away = model::Away::always(20 + 5 * i);
  return made;
}

// Launches of eight kernels, a device that runs slices, and the policy.
class Scenario {
 public:
  explicit Scenario(bool network, std::uint64_t launches = 1, KerneletOptions options = {})
      : policy(std::make_unique<ModelRates>(), options) {
    for (std::size_t i = 0; i < kinds; ++i) traits_[i] = kernel(i, network);
    for (std::uint64_t i = 0; i < launches; ++i)
      for (std::size_t kind = 0; kind < kinds; ++kind) add(kind, 1000);
  }
  void add(std::size_t kind, std::uint64_t blocks) {
    tasks.push_back({.id = ++made_,
                     .name = "k",
                     .queue = &queue_,
                     .left = {0, blocks},
                     .blocks = blocks,
                     .divisible = true,
                     .corun = &traits_[kind]});
  }
  View view() { return {now_ns, tasks, {&device_, 1}, {}, 0, ranges, completions}; }
  // As a dispatcher asks: until nothing is decided. Returns how often that was.
  unsigned decide() {
    for (unsigned asked = 1;; ++asked) {
      std::vector<Decision> decisions;
      policy.decide(view(), decisions);
      completions.clear();
      if (const std::string why = policy.explain(); !why.empty()) log += why + "\n";
      if (decisions.empty()) return asked;
      for (const Decision& decision : decisions) submit(decision);
      std::erase_if(tasks, [](const TaskView& task) { return task.left.size() == 0; });
    }
  }
  void end(std::size_t index) {
    now_ns += 1000;
    completions.push_back({ranges[index], ranges[index].submitted_ns, now_ns});
    policy.ended(completions.back());
    ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(index));
  }
  double figure(std::string_view name) const {
    for (const Figure& figure : policy.figures())
      if (figure.name == name) return figure.value;
    return -1;
  }

  CoRunDevice device = fermi();
  KerneletPolicy policy;
  std::vector<TaskView> tasks;
  std::vector<RangeView> ranges;
  std::vector<Completion> completions;
  std::string log;
  std::uint64_t now_ns = 1000;

 private:
  void submit(const Decision& decision) {
    TaskView& task = tasks.at(decision.task);
    BlockRange range = task.left;
    if (decision.blocks != 0) range.end = std::min(range.end, range.begin + decision.blocks);
    log += fmt::format("{}[{},{})\n", task.id, range.begin, range.end);
    ranges.push_back({.task = task.id, .blocks = range, .corun = task.corun, .submitted_ns = now_ns});
    task.left.begin = range.end;
  }
  std::array<KernelTraits, kinds> traits_;
  QueueView queue_{.id = 0, .name = "q"};
  DeviceView device_{.processors = 14, .corun = &device};
  std::uint64_t made_ = 0;
};

// Arrivals and ends in an order that chance gives: as it was before decisions became incremental.
TEST(KerneletDecision, GoldenDecisions) {
  for (const bool network : {false, true}) {
    Scenario run(network);
    std::mt19937 random(5);
    std::uint64_t made = 0;
    while (made < 60 || !run.ranges.empty()) {
      if (made < 60 && random() % 8 == 0) run.add(random() % kinds, 50 + random() % 400), ++made;
      run.decide();
      for (auto some = random() % 3; some > 0 && !run.ranges.empty(); --some) run.end(random() % run.ranges.size());
    }
    EXPECT_EQ(base::hash64(run.log), network ? 14782046457638386238u : 7509086355972622023u)
        << std::count(run.log.begin(), run.log.end(), '\n');
  }
}

// The pair of each set of kernels, and its ratio.
TEST(KerneletDecision, GoldenPairs) {
  std::array<std::uint64_t, 4> hashes = {6798057250276744675u, 16661237610682160173u, 5545511636729094315u,
                                         16576318720698960513u};
  auto hash = hashes.begin();
  for (const auto ratio : {model::PairOptions::Ratio::most_profit, model::PairOptions::Ratio::balanced})
    for (const bool network : {false, true}) {
      Scenario run(network, 1, {.pairs = {.ratio = ratio}});
      std::string all;
      const std::vector<TaskView> tasks = run.tasks;
      for (unsigned set = 1; set < 1u << kinds; ++set) {
        run.tasks.clear();
        for (std::size_t kind = 0; kind < kinds; ++kind)
          if ((set >> kind & 1) != 0) run.tasks.push_back(tasks[kind]);
        std::vector<Decision> decisions;
        run.policy.decide(run.view(), decisions);
        all += run.policy.explain() + "\n";
      }
      EXPECT_EQ(base::hash64(all), *hash++) << network << " " << static_cast<int>(ratio);
    }
}

// On a GPU the host's time counts: launches go out before pairs are solved, and not all pairs are.
TEST(KerneletDecision, AGpuWorksWhilePairsAreSolved) {
  const KerneletOptions options{.prune = false};
  Scenario run(false, 2, options);
  run.device.slice_cycles = 1000;
  std::vector<Decision> first;
  run.policy.decide(run.view(), first);
  EXPECT_EQ(first.size(), options.whole_before);
  for (const Decision& decision : first) EXPECT_EQ(decision.blocks, 0U) << "whole";
  EXPECT_EQ(run.figure("pairs"), 0);
  Scenario again(false, 2, options);
  again.device.slice_cycles = 1000;
  unsigned decisions = 0;
  for (; again.figure("pairs") <= 0; again.end(0)) {
    again.decide();
    ASSERT_LT(++decisions, 10U);
  }
  EXPECT_GT(decisions, 1U) << "one decision does not solve them all";
  EXPECT_EQ(again.figure("pairs"), options.most_pairs);
  EXPECT_THAT(again.log, testing::HasSubstr("k with k")) << "a pair runs after them";
  Scenario simulated(false, 2, options);
  simulated.decide();
  EXPECT_EQ(simulated.figure("pairs"), kinds * (kinds - 1) / 2);
}

// Then it need not be asked. Slices that have ended are seen together later.
TEST(KerneletDecision, WithEnoughInFlightNothingIsDecided) {
  Scenario run(false, 4);
  run.device.slice_cycles = 1000;
  run.device.lanes = 2;
  std::mt19937 random(3);
  unsigned enough = 0, asked = 0;
  while (!run.ranges.empty() || !run.tasks.empty()) {
    if (!run.ranges.empty()) run.end(random() % std::min<std::size_t>(run.ranges.size(), 3));
    ++asked;
    if (!run.policy.has_enough_in_flight()) {
      run.decide();
      continue;
    }
    ++enough;
    if (random() % 4 != 0) continue;
    std::vector<Decision> decisions;
    run.policy.decide(run.view(), decisions);
    run.completions.clear();
    EXPECT_TRUE(decisions.empty());
  }
  EXPECT_GT(enough, asked / 4);
}

}  // namespace
}  // namespace heddle::sched
