// What all launches on one machine share: its memory, and how it shall behave.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "device/machine/address_map.hpp"
#include "heddle/dim3.hpp"
#include "ptx/ir.hpp"
#include "ptx/semantics/evaluate.hpp"

namespace heddle::device::machine {

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

struct Options {
  // Fresh shared and local memory is filled with poison_byte instead of zero, so that reading what was never written
  // shows.
  bool poison = false;
  std::uint8_t poison_byte = 0xcd;
  // Local memory of a thread beyond its kernel's own variables: what calls and alloca take.
  std::uint64_t stack_bytes = 64 * 1024;
  // Bytes that kernels may hold by malloc().
  std::uint64_t heap_bytes = 256ull << 20;
  // Where vprintf writes; empty: stdout. Called by one thread at a time.
  std::function<void(std::string_view)> print;
  // Told of each instruction, but for those whose guard does not hold. Called by one thread at a time, within a launch.
  std::function<void(const Step&)> step;
  // Who refuses an instruction, in messages.
  std::string_view executor = "the machine";
};

// One host thread at a time executes on a machine; `memory` alone may be used by any thread.
struct Machine {
  Machine(Options chosen, const base::Clock& its_clock);
  // Frees what kernels have not given back to malloc().
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Options options;
  const base::Clock& clock;  // %globaltimer
  AddressMap memory;
  // Changes of memory that other threads can see, and ends of threads, of all launches.
  std::uint64_t memory_epoch = 0;
  std::uint64_t heap_used = 0;
};

}  // namespace heddle::device::machine
