#include "random_programs/threads_machine.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <thread>

#include "core/core.hpp"
#include "heddle/module.hpp"
#include "ptx/parser.hpp"
#include "random_programs/thread_device.hpp"
#include "runtime/buffer.hpp"
#include "runtime/launch.hpp"
#include "runtime/module_state.hpp"

namespace heddle::test::random_programs {
namespace {

using Word = std::uint32_t;

std::atomic<std::uint64_t> early_launches{0};

// On a busy machine a turn of other programs takes milliseconds. One of these is a long delay already.
void let_others_go_on(Word turns) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(1);
  for (; turns > 0 && Clock::now() < end; --turns) std::this_thread::yield();
}

// The kernels of kernels.cpp. In a delay others get the processor. A launch has more parameters where
// arrays that the kernel only reads may still be arriving: a word for each of them.
class Body {
 public:
  Body(const ThreadLaunch& launch, std::size_t parameters, std::initializer_list<std::size_t> only_read)
      : launch_(launch), parameters_(parameters), only_read_(only_read) {
    if (launch_.layout->size() > parameters_) ++early_launches;
    let_others_go_on(launch.argument<Word>(0) / 20);
  }
  Word* array(std::size_t i) const { return static_cast<Word*>(reach(launch_.argument<std::uint64_t>(i))); }
  Word read(std::size_t i, Word element) const {
    const auto word = static_cast<std::size_t>(std::find(only_read_.begin(), only_read_.end(), i) - only_read_.begin());
    if (launch_.layout->size() > parameters_)
      await_arrival(launch_.argument<std::uint64_t>(parameters_ + word),
                    launch_.argument<std::uint64_t>(i) + (element + std::uint64_t{1}) * sizeof(Word));
    return array(i)[element];
  }
  Word number(std::size_t i) const { return launch_.argument<Word>(i); }
  // Of the whole grid, and those of the blocks that are to run.
  Word threads() const { return launch_.config.grid.x * launch_.config.block.x; }
  Word first() const { return static_cast<Word>(launch_.range.begin) * launch_.config.block.x; }
  Word last() const { return static_cast<Word>(launch_.range.end) * launch_.config.block.x; }

 private:
  const ThreadLaunch& launch_;
  std::size_t parameters_;
  std::vector<std::size_t> only_read_;
};

std::map<std::string, ThreadKernel> bodies() {
  return {{"copy",
           [](const ThreadLaunch& launch) {
             const Body body(launch, 3, {1});
             for (Word i = body.first(); i < body.last(); ++i) body.array(2)[i] = 3 * body.read(1, i) + 1;
           }},
          {"mix",
           [](const ThreadLaunch& launch) {
             const Body body(launch, 3, {});
             for (Word i = body.first(); i < body.last(); ++i) body.array(2)[i] = 5 * body.array(2)[i] + body.number(1);
           }},
          {"cross",
           [](const ThreadLaunch& launch) {
             const Body body(launch, 4, {1, 2});
             const Word n = body.threads();
             for (Word i = body.first(); i < body.last(); ++i)
               body.array(3)[i] = body.read(1, i) + 7 * body.read(2, n - 1 - i);
           }},
          {"sum", [](const ThreadLaunch& launch) {
             const Body body(launch, 3, {1});
             for (Word i = body.first(); i < body.last(); ++i) body.array(2)[0] += body.read(1, i);
           }}};
}

class ThreadsMachine final : public Machine {
 public:
  ThreadsMachine(const std::vector<std::string>& ids, const Scheduling& policy, const std::string& managed = {},
                 std::uint64_t memory_budget = 0)
      : ids_(ids), memory_budget_(memory_budget) {
    std::vector<std::unique_ptr<device::Device>> devices;
    for (const std::string& id : ids)
      devices.push_back(make_thread_device(id, id.find("far") == std::string::npos, bodies()));
    core_ = std::make_shared<core::Core>(
        std::move(devices), core::CoreOptions{.scheduling = policy, .policy = managed, .memory_budget = memory_budget});
    module_ = std::make_shared<runtime::ModuleState>(
        core_, std::make_shared<const ptx::Module>(ptx::parse(kernels, "kernels.ptx")), kernels, "kernels.ptx");
    if (policy.early_start_bytes > 0)
      for (const std::string& id : ids_) measure(id);
  }
  Array<Word> array(std::size_t count) override {
    return Array<Word>(std::make_shared<runtime::Buffer>(core_, count * sizeof(Word)));
  }
  void launch(const char* kernel, const LaunchOptions& options, std::span<const Argument> arguments) override {
    runtime::launch(*core_, module_->kernel(kernel), options, arguments);
  }
  void synchronize() override { core_->synchronize(); }
  // With a budget: so many that they take more than four times of it.
  std::size_t least_arrays() const override { return memory_budget_ == 0 ? 4 : 26; }
  std::uint64_t evicted_bytes() {
    const base::Lock lock(core_->mutex());
    return core_->memory().evicted_bytes();
  }
  const std::vector<std::string>& devices() const override { return ids_; }

  // Launches that name no device are most.
  void place(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    links::MeasuredLinks links(ids_.size() + 1, std::vector<double>(ids_.size() + 1));
    for (auto& row : links)
      for (double& each : row) each = static_cast<double>(1 + random() % 4) * 1e9;
    core_->links().set(links);
    ids_.insert(ids_.end(), 3 * ids_.size(), "");
  }

 private:
  // Kernels begin early once they were seen to begin late.
  void measure(const std::string& id) {
    Array<Word> a = array(1), b = array(1), to = array(1);
    const LaunchOptions options{.device = id};
    for (const auto& [kernel, arguments] : {std::pair<const char*, std::vector<Argument>>{"copy", {Word{0}, a, to}},
                                            {"cross", {Word{0}, a, b, to}},
                                            {"sum", {Word{0}, b, to}}}) {
      a.write()[0] = b.write()[0] = to.write()[0] = 0;
      launch(kernel, options, arguments);
      to.read();
    }
  }

  std::vector<std::string> ids_;
  const std::uint64_t memory_budget_;
  std::shared_ptr<core::Core> core_;
  std::shared_ptr<runtime::ModuleState> module_;
};

Scheduling policy_for(std::uint64_t seed) {
  Scheduling policy;
  if (seed / 4 % 4 == 1) policy.child_queues = Scheduling::ChildQueues::same_as_parent;
  if (seed / 4 % 4 == 2) policy.new_queues = Scheduling::NewQueues::always_new;
  if (seed / 16 % 4 == 1) policy.prefetch = false;
  if (seed / 64 % 4 == 1) policy.dependences = Scheduling::Dependences::no_const;
  policy.replay = seed / 256 % 4 != 1;
  policy.early_start_bytes = seed / 32 % 4 == 1 ? 0 : 1;
  return policy;
}

std::unique_ptr<Machine> machine_for(std::uint64_t seed) {
  static const std::vector<std::vector<std::string>> sets{{"near"}, {"far"}, {"near", "far"}, {"far", "far2"}};
  return make_threads_machine(sets[seed % 4], policy_for(seed));
}

std::unique_ptr<Machine> placing_machine_for(std::uint64_t seed) {
  using enum Scheduling::Placement;
  static constexpr Scheduling::Placement placements[] = {round_robin, stream_aware, min_transfer_size,
                                                         minmin_transfer_time, minmax_transfer_time};
  static const std::vector<std::vector<std::string>> sets{
      {"near", "far"}, {"far", "far2"}, {"near", "near2"}, {"far", "near", "far2"}};
  Scheduling policy = policy_for(seed);
  policy.placement = placements[seed % 5];
  return make_placing_machine(sets[seed / 5 % 4], policy, seed);
}

const char* managed_for(std::uint64_t seed) {
  static constexpr const char* policies[] = {
      "slice:1", "slice:3", "bounded:50", "bounded:200", "lithos", "lithos:atom=1,throttle=1", "timeslice:100"};
  return policies[seed / 3 % 4];
}

std::unique_ptr<Machine> managed_machine_for(std::uint64_t seed) {
  static const std::vector<std::vector<std::string>> sets{{"near"}, {"far"}, {"near", "far"}, {"far", "far2"}};
  return std::make_unique<ThreadsMachine>(sets[seed % 4], policy_for(seed), managed_for(seed));
}

// As much as the largest launch needs: three arrays.
std::unique_ptr<Machine> small_machine_for(std::uint64_t seed) {
  constexpr std::uint64_t budget = 3 * most_elements * sizeof(Word);
  static const std::vector<std::vector<std::string>> sets{{"near"}, {"far"}, {"near", "far"}, {"far", "far2"}};
  return std::make_unique<ThreadsMachine>(sets[seed % 4], policy_for(seed), seed % 3 == 0 ? managed_for(seed) : "",
                                          budget);
}

int count(std::uint64_t begin, std::uint64_t end, int enough,
          const std::function<std::unique_ptr<Machine>(std::uint64_t)>& machine) {
  int differ = 0;
  for (std::uint64_t seed = begin; seed < end && differ < enough; ++seed) {
    const std::string difference = run(*machine(seed), seed);
    if (difference.empty()) continue;
    ++differ;
    std::printf("program %llu: %s\n", static_cast<unsigned long long>(seed), difference.c_str());
  }
  return differ;
}

}  // namespace

std::unique_ptr<Machine> make_placing_machine(const std::vector<std::string>& ids, const Scheduling& policy,
                                              std::uint64_t seed) {
  auto made = std::make_unique<ThreadsMachine>(ids, policy);
  made->place(seed);
  return made;
}

std::unique_ptr<Machine> make_threads_machine(const std::vector<std::string>& ids, const Scheduling& policy) {
  return std::make_unique<ThreadsMachine>(ids, policy);
}

std::uint64_t count_early_launches() { return early_launches; }

int count_differences(std::uint64_t begin, std::uint64_t end, int enough) {
  return count(begin, end, enough, machine_for);
}

int count_placed_differences(std::uint64_t begin, std::uint64_t end, int enough) {
  return count(begin, end, enough, placing_machine_for);
}

int count_managed_differences(std::uint64_t begin, std::uint64_t end, int enough) {
  return count(begin, end, enough, managed_machine_for);
}

int count_small_memory_differences(std::uint64_t begin, std::uint64_t end, int enough) {
  return count(begin, end, enough, small_machine_for);
}

}  // namespace heddle::test::random_programs
