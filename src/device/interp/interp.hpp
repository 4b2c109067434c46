// A slow, obviously right device: interprets the IR thread by thread. The oracle that other devices are compared with,
// and the device to look for bugs on: it checks every access and names what is wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/watcher.hpp"
#include "device/device.hpp"
#include "device/machine/machine.hpp"

namespace heddle::device::interp {

using machine::Step;

struct InterpOptions {
  // Of machine::Options, as are all others that are not explained here.
  bool poison = false;
  std::uint8_t poison_byte = machine::Options{}.poison_byte;
  // Blocks that may be under way at once when earlier ones do not end by themselves (cooperative launches: all).
  std::uint64_t max_resident_blocks = 256;
  // Thread instructions that a block executes before another one gets a turn.
  std::uint64_t block_turn = 200'000;
  std::uint64_t stack_bytes = machine::Options{}.stack_bytes;
  std::uint64_t heap_bytes = machine::Options{}.heap_bytes;
  // Thread instructions without any change of memory after which a launch is called dead even though its threads do not
  // repeat themselves exactly (they may read a clock). Exact repetition is found much sooner.
  std::uint64_t idle_budget = 2'000'000'000;
  std::function<void(std::string_view)> print;
  std::function<void(const Step&)> step;
  // Calls back for events; its clock is the device's. Null: base::process_watcher().
  std::shared_ptr<base::Watcher> watcher = {};
};

// Queues, modules, memory and events made by the device must be gone before it is.
std::unique_ptr<Device> make_interp_device(InterpOptions options = {});

}  // namespace heddle::device::interp
