// The engine of a simulated device: launches run on a Gpu, and times are its cycles.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "device/emulated/loaded_module.hpp"
#include "device/emulated/state.hpp"
#include "device/sim/gpu.hpp"
#include "device/sim/launch_watch.hpp"
#include "device/sim/record/recorder.hpp"
#include "device/sim/sampling/native_blocks.hpp"
#include "device/sim/sampling/plan.hpp"
#include "device/sim/sim.hpp"
#include "device/sim/virtual_clock.hpp"

namespace heddle::device::sim {

class Simulator final : public emulated::Engine {
 public:
  // `clock` outlives it.
  Simulator(emulated::DeviceState& state, VirtualClock& clock, SimOptions options);

  std::string_view name() const override { return options_.id; }
  const base::Clock& clock() const override { return clock_; }
  std::shared_ptr<const ptx::Module> ordered(std::shared_ptr<const ptx::Module> module) const override;
  std::unique_ptr<emulated::ProgramData> data_for(const machine::Program& program) override;
  void check(const emulated::LoadedFunction& function, const LaunchConfig& config, BlockRange range) const override;
  std::uint64_t run(const emulated::KernelRun& run, std::uint64_t start) override;
  std::uint64_t end_of_copy(std::uint64_t start, std::uint64_t bytes, emulated::Transfer transfer) override;
  std::uint64_t time(std::uint64_t reached) override;

  // For a thread that lets time pass itself (stepped.hpp), while no queue runs anything.
  Gpu& gpu() { return gpu_; }
  const SimOptions& options() const { return options_; }
  ProgramTiming& timing(const emulated::LoadedFunction& function) const;
  BlockNeeds needs(const emulated::LoadedFunction& function, const LaunchConfig& config) const;
  // Of a thread.
  unsigned registers(const emulated::LoadedFunction& function) const;
  // Moves the clock to a cycle.
  void reach(Cycle cycle) { clock_.reach(ns_of(cycle)); }
  // Of a launch that begins now. `patience_ns`: as LaunchWatch has it.
  LaunchWatch watch(std::uint64_t patience_ns) const {
    return {state_.watcher->clock(), options_.launch_timeout, patience_ns};
  }

 private:
  std::uint64_t blocks_at_once(const BlockNeeds& needs, const LaunchConfig& config) const;
  std::optional<SamplePlan> plan_of(const emulated::KernelRun& run, const BlockNeeds& needs, std::uint64_t processors,
                                    std::string& refusal) const;
  void finish_sample(const emulated::KernelRun& run, GpuLaunch& launch, const SamplePlan& plan);
  void simulate(GpuLaunch& launch, Cycle start);
  void report(const LaunchFacts& facts, const KernelStatistics& statistics, std::exception_ptr failure);
  Cycle cycle_of(std::uint64_t ns) const;
  std::uint64_t ns_of(Cycle cycle) const;

  emulated::DeviceState& state_;
  VirtualClock& clock_;
  const SimOptions options_;
  NativeDevice native_;
  std::unique_ptr<Recorder> recorder_;  // null: nobody watches
  Gpu gpu_;                             // guarded by the state's `turn`
  std::atomic<std::uint64_t> next_grid_id_{1};
};

}  // namespace heddle::device::sim
