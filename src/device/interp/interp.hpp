// The interpreter: a slow device whose code is simple. It interprets the IR thread by thread. It is the oracle for
// other devices, and a device for debugging, as it checks every access and reports what is wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/watcher.hpp"
#include "device/deadlock_patience.hpp"
#include "device/device.hpp"
#include "device/machine/machine.hpp"

namespace heddle::device::interp {

using machine::Step;

struct InterpOptions {
  // Options without a comment here are those of machine::Options.
  bool poison = false;
  std::uint8_t poison_byte = machine::Options{}.poison_byte;
  // Blocks that may run at once if earlier ones do not end by themselves (cooperative launches: all).
  std::uint64_t max_resident_blocks = 256;
  // Thread instructions that a block executes before another one gets a turn.
  std::uint64_t block_turn = 200'000;
  std::uint64_t stack_bytes = machine::Options{}.stack_bytes;
  std::uint64_t heap_bytes = machine::Options{}.heap_bytes;
  // Thread instructions without a change of memory after which a launch counts as deadlocked, even if its threads do
  // not repeat their states exactly (they may read a clock). Exact repetition is detected much sooner.
  std::uint64_t idle_budget = 2'000'000'000;
  // What deadlock_patience() is asked with.
  std::chrono::milliseconds deadlock_timeout = usual_deadlock_patience;
  // How long a launch may run; then it fails with KernelFault::timeout. 0: for ever. Looked at after each turn of a
  // block.
  std::chrono::milliseconds launch_timeout{0};
  std::function<void(std::string_view)> print;
  std::function<void(const Step&)> step;
  // Runs the callbacks of events; its clock is the device's clock. Null: base::process_watcher().
  std::shared_ptr<base::Watcher> watcher = {};
};

// Queues, modules, memory and events of the device must be destroyed before it.
std::unique_ptr<Device> make_interp_device(InterpOptions options = {});

}  // namespace heddle::device::interp
