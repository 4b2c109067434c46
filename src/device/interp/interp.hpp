// A slow, obviously right device: interprets the IR thread by thread. The oracle that other devices are compared with,
// and the device to look for bugs on: it checks every access and names what is wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/watcher.hpp"
#include "device/device.hpp"
#include "ptx/ir.hpp"
#include "ptx/semantics/evaluate.hpp"

namespace heddle::device::interp {

// An instruction that a thread has executed.
struct Step {
  const Dim3& block;         // %ctaid
  std::uint32_t thread = 0;  // its number in the block
  std::size_t depth = 1;     // of calls; 1: the kernel
  const ptx::Function& function;
  const ptx::Instruction& instruction;
  // By register of the function, as they are now; empty when the function has returned.
  std::span<const ptx::semantics::Value> registers;
};

struct InterpOptions {
  // Fresh shared and local memory is filled with poison_byte instead of zero, so that reading what was never written
  // shows.
  bool poison = false;
  std::uint8_t poison_byte = 0xcd;
  // Blocks that may be under way at once when earlier ones do not end by themselves (cooperative launches: all).
  std::uint64_t max_resident_blocks = 256;
  // Thread instructions that a block executes before another one gets a turn.
  std::uint64_t block_turn = 200'000;
  // Local memory of a thread beyond its kernel's own variables: what calls and alloca take.
  std::uint64_t stack_bytes = 64 * 1024;
  // Bytes that kernels may hold by malloc().
  std::uint64_t heap_bytes = 256ull << 20;
  // Thread instructions without any change of memory after which a launch is called dead even though its threads do not
  // repeat themselves exactly (they may read a clock). Exact repetition is found much sooner.
  std::uint64_t idle_budget = 2'000'000'000;
  // Where vprintf writes; empty: stdout. Called by one thread at a time.
  std::function<void(std::string_view)> print;
  // Told of each instruction, but for those whose guard does not hold. Called by one thread at a time, within a launch.
  std::function<void(const Step&)> step;
  // Calls back for events; its clock is the device's. Null: base::process_watcher().
  std::shared_ptr<base::Watcher> watcher = {};
};

// Queues, modules, memory and events made by the device must be gone before it is.
std::unique_ptr<Device> make_interp_device(InterpOptions options = {});

}  // namespace heddle::device::interp
