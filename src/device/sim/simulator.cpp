#include "device/sim/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <vector>

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "base/log.hpp"
#include "device/sim/sampling/validity.hpp"
#include "ptx/analysis/resources.hpp"
#include "ptx/rewrite/hoist_loads.hpp"

namespace heddle::device::sim {
namespace {

constexpr unsigned epochs_of_a_turn = 32;  // before copies and launches of other queues get theirs

class Program final : public emulated::ProgramData {
 public:
  Program(const machine::Program& program, const Front& front, NativeDevice& device)
      : timing(program, front), native(program, device), program_(program) {}
  // Of a thread, by an estimate.
  unsigned registers(const ptx::Function& function) {
    std::call_once(found_, [&] {
      const ptx::Module& module = program_.ptx();
      resources_ = ptx::analysis::find_resources(module, ptx::analysis::find_waiting(module, {}));
    });
    return resources_[static_cast<std::size_t>(&function - program_.ptx().functions.data())].registers;
  }
  // Empty: launches of it may be sampled.
  const std::string& why_not_sampled(const ptx::Function& function) {
    const std::lock_guard lock(mutex_);
    const auto [found, added] = reasons_.try_emplace(&function);
    if (added) found->second = sim::why_not_sampled(program_.ptx(), function);
    return found->second;
  }
  ProgramTiming timing;
  NativeProgram native;

 private:
  const machine::Program& program_;
  std::mutex mutex_;
  std::map<const ptx::Function*, std::string> reasons_;
  std::once_flag found_;
  std::vector<ptx::analysis::Resources> resources_;
};

Program& program_of(const emulated::LoadedFunction& function) { return static_cast<Program&>(*function.data()); }

// A device's name without what decides nothing of its time.
std::string without_files(std::string_view id) {
  std::string kept;
  for (std::string_view rest = id; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (!one.starts_with("report=") && !one.starts_with("trace") && !one.starts_with("threads="))
      kept += (kept.empty() ? "" : ",") + std::string(one);
  }
  return kept;
}

// While it lives, the simulation alone lets time pass.
class Working {
 public:
  explicit Working(VirtualClock& clock) : clock_(clock) { clock_.begin_work(); }
  ~Working() { clock_.end_work(); }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  VirtualClock& clock_;
};

}  // namespace

Simulator::Simulator(emulated::DeviceState& state, VirtualClock& clock, SimOptions options)
    : state_(state),
      clock_(clock),
      options_(std::move(options)),
      native_(options_.native),
      gpu_(options_.machine, options_.ideal_memory, options_.host_threads) {
  check_policies(options_.machine.policies);
  const unsigned schedulers = options_.machine.front.schedulers;
  if (make_issue(options_.machine.policies.issue)->interweaving() && schedulers != 2)
    base::fail(ErrorCode::invalid_argument,
               "issue={} issues in two slots, each of a scheduler; {} has {} in an SM, and front.schedulers must be 2",
               options_.machine.policies.issue, options_.id, schedulers);
  if (options_.audit) gpu_.audit();
  if (!options_.record.any()) return;
  recorder_ = std::make_unique<Recorder>(options_.machine, without_files(options_.id), options_.record);
  gpu_.observe(recorder_.get());
}

std::shared_ptr<const ptx::Module> Simulator::ordered(std::shared_ptr<const ptx::Module> module) const {
  const unsigned loads = options_.machine.front.early_loads;
  return loads == 0 ? module : std::make_shared<const ptx::Module>(ptx::hoist_loads(*module, loads));
}

std::unique_ptr<emulated::ProgramData> Simulator::data_for(const machine::Program& program) {
  return std::make_unique<Program>(program, options_.machine.front, native_);
}

Cycle Simulator::cycle_of(std::uint64_t ns) const {
  return static_cast<Cycle>(std::ceil(static_cast<double>(ns) * options_.machine.clocks.sm_mhz / 1000));
}

std::uint64_t Simulator::ns_of(Cycle cycle) const {
  return static_cast<std::uint64_t>(static_cast<double>(cycle) * 1000 / options_.machine.clocks.sm_mhz);
}

ProgramTiming& Simulator::timing(const emulated::LoadedFunction& function) const { return program_of(function).timing; }

unsigned Simulator::registers(const emulated::LoadedFunction& function) const {
  return std::min(program_of(function).registers(function.ptx()), options_.machine.residency.thread_registers);
}

BlockNeeds Simulator::needs(const emulated::LoadedFunction& function, const LaunchConfig& config) const {
  const Residency& limits = options_.machine.residency;
  return needs_of(limits, static_cast<unsigned>(config.block.count()), registers(function),
                  function.static_shared_bytes() + config.dynamic_shared_bytes);
}

// Blocks of a launch that an SM holds; 0: the needs exceed it.
std::uint64_t Simulator::blocks_at_once(const BlockNeeds& block, const LaunchConfig& config) const {
  const Residency& limits = options_.machine.residency;
  const auto sm = make_residency(config.cooperative ? "round-robin" : options_.machine.policies.residency, limits,
                                 PolicyOptions(options_.machine.policies.options));
  std::uint64_t fit = 0;
  for (; fit < limits.blocks && sm->admits(block); ++fit) sm->admitted(block);
  return fit;
}

void Simulator::check(const emulated::LoadedFunction& function, const LaunchConfig& config, BlockRange range) const {
  const BlockNeeds block = needs(function, config);
  const std::uint64_t fit = blocks_at_once(block, config);
  if (fit == 0)
    base::fail(ErrorCode::invalid_argument,
               "kernel '{}': a block of {} threads with {} registers and {} bytes of shared memory fits on no SM of {}",
               base::demangled(function.ptx().name), block.threads, block.registers, block.shared, options_.id);
  if (config.cooperative && range.size() > fit * options_.machine.sms)
    base::fail(ErrorCode::invalid_argument,
               "kernel '{}': a cooperative launch of {} blocks; {} can be under way at once on {}",
               base::demangled(function.ptx().name), range.size(), fit * options_.machine.sms, options_.id);
}

// Which blocks of the launch are simulated; nothing and why, where all are.
std::optional<SamplePlan> Simulator::plan_of(const emulated::KernelRun& run, const BlockNeeds& needs,
                                             std::uint64_t processors, std::string& refusal) const {
  if (options_.sample_waves == 0 || run.range.empty()) return {};
  if (!native_.there())
    refusal = "no device of the host is there that could execute the other blocks";
  else if (run.config.cooperative)
    refusal = "it is a cooperative launch, whose blocks wait for one another";
  else if (run.stop)
    refusal = "it can be stopped between any two blocks";
  else
    refusal = program_of(run.function).why_not_sampled(run.function.ptx());
  if (!refusal.empty()) return {};
  const std::uint64_t wave = blocks_at_once(needs, run.config) * processors;
  auto plan = plan_sample(run.range, wave, options_.sample_waves);
  if (!plan)
    refusal =
        fmt::format("its {} blocks are not more than {} waves of {}", run.range.size(), options_.sample_waves, wave);
  return plan;
}

// The other blocks are executed, and the launch takes what its simulated ones tell.
void Simulator::finish_sample(const emulated::KernelRun& run, GpuLaunch& launch, const SamplePlan& plan) {
  SampleFigures& sample = launch.statistics.sample;
  if (launch.rest.empty()) {
    sample.refusal = "another launch was on the machine at the same time";
    return;
  }
  program_of(run.function).native.run(run, launch.rest);
  for (Cycle& end : launch.ends) end -= launch.start;
  const SampleEstimate estimated = estimate(plan, launch.end - launch.start, std::move(launch.ends));
  sample.waves = plan.waves;
  sample.blocks = plan.simulated_blocks();
  sample.of_blocks = run.range.size();
  sample.cycles = estimated.cycles;
  sample.low = estimated.low;
  sample.high = estimated.high;
  launch.end = launch.start + estimated.cycles;
}

std::uint64_t Simulator::run(const emulated::KernelRun& run, std::uint64_t start) {
  machine::Grid grid(run.function.kernel(), run.config, run.arguments, next_grid_id_++, run.footprint);
  GpuLaunch launch(grid, program_of(run.function).timing, needs(run.function, run.config), run.range);
  launch.stop = run.stop;
  launch.priority = run.priority;
  launch.sms.assign(options_.machine.sms, run.processors == nullptr);
  if (run.processors)
    for (const unsigned sm : run.processors->ids) launch.sms[sm] = true;
  const auto processors = static_cast<std::uint64_t>(std::count(launch.sms.begin(), launch.sms.end(), true));
  const auto plan = plan_of(run, launch.work.needs, processors, launch.statistics.sample.refusal);
  if (plan) launch.sample(plan->simulated, plan->rest);
  const Working working(clock_);
  const LaunchFacts facts{run.function.kernel(), run.config, run.range, launch.work};
  try {
    simulate(launch, cycle_of(start));
    if (plan && !launch.failure) finish_sample(run, launch, *plan);
  } catch (...) {
    report(facts, launch.statistics, std::current_exception());
    throw;
  }
  report(facts, launch.statistics, launch.failure);
  if (run.stop) run.stop->advance(launch.next);
  if (launch.failure) std::rethrow_exception(launch.failure);
  const std::uint64_t end = ns_of(launch.end);
  clock_.reach(end);
  if (options_.on_launch && !run.range.empty()) options_.on_launch(run.function.ptx().name, launch.statistics);
  return end;
}

// Writes the files about a launch. What it failed with counts for more than a full disk.
void Simulator::report(const LaunchFacts& facts, const KernelStatistics& statistics, std::exception_ptr failure) {
  if (!recorder_ || facts.range.empty()) return;
  const std::lock_guard turn(state_.turn);
  if (!failure) return recorder_->ended(facts, statistics, {});
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    try {
      recorder_->ended(facts, statistics, error.what());
    } catch (const Error& other) {
      base::log_warn("{}", other.what());
    }
  }
}

void Simulator::simulate(GpuLaunch& launch, Cycle start) {
  {
    const std::lock_guard turn(state_.turn);
    gpu_.add(launch, start);
  }
  LaunchWatch launch_watch = watch(quiet_ns(options_.deadlock_timeout));
  while (!launch.done) {
    const std::lock_guard turn(state_.turn);
    for (unsigned i = 0; i < epochs_of_a_turn && !launch.done; ++i) gpu_.advance();
    clock_.reach(ns_of(gpu_.now()));
    if (launch.done) return;
    try {
      launch_watch.look(gpu_, launch);
    } catch (...) {
      gpu_.cancel(launch);
      throw;
    }
  }
}

std::uint64_t Simulator::end_of_copy(std::uint64_t start, std::uint64_t bytes, emulated::Transfer transfer) {
  const CopyEngines& engines = options_.machine.copies;
  // 1e9 bytes a second are one byte a nanosecond.
  const double rate = transfer == emulated::Transfer::inside ? engines.device_gbs : engines.to_device_gbs;
  const double ns = engines.latency_us * 1000 + (rate > 0 ? static_cast<double>(bytes) / rate : 0);
  const std::uint64_t end = start + static_cast<std::uint64_t>(ns);
  clock_.reach(end);
  return end;
}

std::uint64_t Simulator::time(std::uint64_t reached) {
  clock_.reach(reached);
  return reached;
}

}  // namespace heddle::device::sim
