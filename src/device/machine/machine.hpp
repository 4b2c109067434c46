// State that all launches on one machine share: its memory and its options.
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
#include "texture/table.hpp"

namespace heddle::device::machine {

// An executed instruction of a thread.
struct Step {
  const Dim3& block;         // %ctaid
  std::uint32_t thread = 0;  // index in the block
  std::size_t depth = 1;     // call depth; 1: the kernel
  const ptx::Function& function;
  const ptx::Instruction& instruction;
  // Current values, by register of the function; empty if the function has returned.
  std::span<const ptx::semantics::Value> registers;
};

struct Options {
  // Fresh shared and local memory is filled with poison_byte instead of zero, so that reads of uninitialised memory
  // show.
  bool poison = false;
  std::uint8_t poison_byte = 0xcd;
  // Bytes of a thread's local memory for calls and alloca, in addition to its kernel's own variables.
  std::uint64_t stack_bytes = 64 * 1024;
  // Bytes that kernels may have allocated by malloc().
  std::uint64_t heap_bytes = 256ull << 20;
  // Receives the output of vprintf; empty: stdout. Called by one thread at a time.
  std::function<void(std::string_view)> print;
  // Called for each executed instruction, but not for those whose guard is false. Called by one thread at a time,
  // during a launch.
  std::function<void(const Step&)> step;
  // The name in messages about instructions that are not supported.
  std::string_view executor = "the machine";
};

// One host thread at a time executes on a machine, except that cores whose Site has a memory_epoch of its own may
// execute at the same time what neither calls the system nor synchronises threads of different blocks. `memory`
// and `textures` may be used by any thread.
struct Machine {
  Machine(Options chosen, const base::Clock& its_clock);
  // Frees the memory of malloc() that kernels have not freed.
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Options options;
  const base::Clock& clock;  // %globaltimer
  AddressMap memory;
  texture::Table textures;
  // Counts changes of memory that other threads can see, and ends of threads, of all launches.
  std::uint64_t memory_epoch = 0;
  std::uint64_t heap_used = 0;
};

}  // namespace heddle::device::machine
