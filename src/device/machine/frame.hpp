// One activation of a function by a thread.
#pragma once

#include <cstdint>
#include <memory>

#include "device/machine/code.hpp"
#include "device/machine/registers.hpp"

namespace heddle::device::machine {

// What only activations by a call have.
struct CalledFrame {
  std::unique_ptr<std::uint64_t[]> registers;  // those of the kernel are the block's
  const ptx::Instruction* call = nullptr;      // the caller's call instruction, whose results are stored on return
  std::uint64_t path = 0;                      // of the calls that lead here: a hash of their places
};

// Each resident thread has one at least: it is kept small.
struct Frame {
  const Code* code = nullptr;
  std::uint32_t pc = 0;             // where it continues after a call; see Thread::pc()
  std::uint32_t base = 0, top = 0;  // its part of the thread's local memory
  bool carry = false;               // the condition code
  Registers registers;
  std::unique_ptr<CalledFrame> called;  // null: the kernel's

  std::uint64_t path() const { return called ? called->path : 0; }
};

}  // namespace heddle::device::machine
