// What executes the kernels of an emulated device: the interpreter, or a model of a GPU. It is the device's clock too.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "device/launch_config.hpp"
#include "device/partition.hpp"
#include "heddle/dim3.hpp"

namespace heddle::device {
class Footprint;
class StopFlag;
}  // namespace heddle::device

namespace heddle::device::machine {
class Program;
}

namespace heddle::ptx {
struct Module;
}

namespace heddle::device::emulated {

class LoadedFunction;

// A launch as a queue hands it over. All pointers are valid during Engine::run().
struct KernelRun {
  LoadedFunction& function;
  const LaunchConfig& config;
  BlockRange range;
  std::span<const std::byte> arguments;      // the packed parameter buffer
  const Footprint* footprint = nullptr;      // Queue::set_footprint()
  StopFlag* stop = nullptr;                  // once it is set, no further block begins; null: cannot be stopped
  const ProcessorSet* processors = nullptr;  // on these only; null: on all
  int priority = 0;                          // QueueOptions
};

enum class Transfer : std::uint8_t {
  inside,   // both ends are memory of the device
  crossing  // one end is memory of the host or of another device
};

// What an engine keeps with a loaded module.
class ProgramData {
 public:
  virtual ~ProgramData() = default;
};

// Times are in nanoseconds of clock(). Functions that take a `start` get the time at which the queue reached the
// command, and return the time of its end; engines of real time return the time it is. Any thread.
class Engine {
 public:
  virtual ~Engine() = default;
  // In messages: "the interpreter".
  virtual std::string_view name() const = 0;
  virtual const base::Clock& clock() const = 0;
  // The module as it executes it: the order of instructions may be another one.
  virtual std::shared_ptr<const ptx::Module> ordered(std::shared_ptr<const ptx::Module> module) const { return module; }
  // What it keeps with a module that is being loaded; null: nothing. The program outlives the result.
  virtual std::unique_ptr<ProgramData> data_for(const machine::Program& /*program*/) { return nullptr; }
  // Throws invalid_argument for launches that check_launch() permits and this engine cannot execute.
  virtual void check(const LoadedFunction& function, const LaunchConfig& config, BlockRange range) const = 0;
  // Executes the blocks. Reports to `stop` which have run. Throws kernel_fault, deadlock, unsupported.
  virtual std::uint64_t run(const KernelRun& run, std::uint64_t start) = 0;
  virtual std::uint64_t end_of_copy(std::uint64_t start, std::uint64_t bytes, Transfer transfer) = 0;
  // The time of a queue that is at `reached` and continues with other commands, after events or host functions.
  virtual std::uint64_t time(std::uint64_t reached) = 0;
};

}  // namespace heddle::device::emulated
