#include "random_programs/threads_machine.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <thread>

#include "heddle/module.hpp"
#include "ptx/parser.hpp"
#include "random_programs/thread_device.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"
#include "runtime/launch_state.hpp"
#include "runtime/module_state.hpp"

namespace heddle::test::random_programs {
namespace {

using Word = std::uint32_t;

// The kernels of kernels.cpp. Delays are sleeps, so that others get the processor.
class Body {
 public:
  explicit Body(const ThreadLaunch& launch) : launch_(launch) {
    if (const Word delay = launch.argument<Word>(0); delay > 0)
      std::this_thread::sleep_for(std::chrono::microseconds(delay / 20));
  }
  Word* array(std::size_t i) const { return static_cast<Word*>(reach(launch_.argument<std::uint64_t>(i))); }
  Word number(std::size_t i) const { return launch_.argument<Word>(i); }
  Word threads() const { return launch_.config.block.x; }

 private:
  const ThreadLaunch& launch_;
};

std::map<std::string, ThreadKernel> bodies() {
  return {{"copy",
           [](const ThreadLaunch& launch) {
             const Body body(launch);
             for (Word i = 0; i < body.threads(); ++i) body.array(2)[i] = 3 * body.array(1)[i] + 1;
           }},
          {"mix",
           [](const ThreadLaunch& launch) {
             const Body body(launch);
             for (Word i = 0; i < body.threads(); ++i) body.array(2)[i] = 5 * body.array(2)[i] + body.number(1);
           }},
          {"cross",
           [](const ThreadLaunch& launch) {
             const Body body(launch);
             const Word n = body.threads();
             for (Word i = 0; i < n; ++i) body.array(3)[i] = body.array(1)[i] + 7 * body.array(2)[n - 1 - i];
           }},
          {"sum", [](const ThreadLaunch& launch) {
             const Body body(launch);
             for (Word i = 0; i < body.threads(); ++i) body.array(2)[0] += body.array(1)[i];
           }}};
}

class ThreadsMachine final : public Machine {
 public:
  ThreadsMachine(const std::vector<std::string>& ids, const Scheduling& policy) : ids_(ids) {
    std::vector<std::unique_ptr<device::Device>> devices;
    for (const std::string& id : ids)
      devices.push_back(make_thread_device(id, id.find("far") == std::string::npos, bodies()));
    core_ = std::make_shared<runtime::Core>(std::move(devices), false, 0, nullptr, policy);
    module_ = std::make_shared<runtime::ModuleState>(
        core_, std::make_shared<const ptx::Module>(ptx::parse(kernels, "kernels.ptx")), kernels, "kernels.ptx");
  }
  Array<Word> array(std::size_t count) override {
    return Array<Word>(std::make_shared<runtime::Buffer>(core_, count * sizeof(Word)));
  }
  void launch(const char* kernel, const LaunchOptions& options, std::span<const Argument> arguments) override {
    runtime::launch(core_, module_->kernel(kernel), options, arguments);
  }
  void synchronize() override { core_->synchronize(); }
  const std::vector<std::string>& devices() const override { return ids_; }

  // Launches that name no device are most.
  void place(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    runtime::MeasuredLinks links(ids_.size() + 1, std::vector<double>(ids_.size() + 1));
    for (auto& row : links)
      for (double& each : row) each = static_cast<double>(1 + random() % 4) * 1e9;
    core_->links().set(links);
    ids_.insert(ids_.end(), 3 * ids_.size(), "");
  }

 private:
  std::vector<std::string> ids_;
  std::shared_ptr<runtime::Core> core_;
  std::shared_ptr<runtime::ModuleState> module_;
};

Scheduling policy_for(std::uint64_t seed) {
  Scheduling policy;
  if (seed / 4 % 4 == 1) policy.child_queues = Scheduling::ChildQueues::same_as_parent;
  if (seed / 4 % 4 == 2) policy.new_queues = Scheduling::NewQueues::always_new;
  if (seed / 16 % 4 == 1) policy.prefetch = false;
  if (seed / 64 % 4 == 1) policy.dependences = Scheduling::Dependences::no_const;
  policy.replay = seed / 256 % 4 != 1;
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

int count_differences(std::uint64_t begin, std::uint64_t end, int enough) {
  return count(begin, end, enough, machine_for);
}

int count_placed_differences(std::uint64_t begin, std::uint64_t end, int enough) {
  return count(begin, end, enough, placing_machine_for);
}

}  // namespace heddle::test::random_programs
