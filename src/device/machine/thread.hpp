// A thread of a kernel: its call frames, registers, local memory and what it waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/machine/code.hpp"
#include "heddle/dim3.hpp"
#include "ptx/semantics/evaluate.hpp"

namespace heddle::device::machine {

// One activation of a function.
struct Frame {
  const Code* code = nullptr;
  std::uint32_t pc = 0;
  bool carry = false;                            // the condition code
  std::uint64_t base = 0, top = 0;               // its part of the thread's local memory
  std::vector<ptx::semantics::Value> registers;  // bits above a register's width are zero
  const ptx::Instruction* call = nullptr;        // what to do on return, in the caller's terms
};

// The core makes threads exit and lets those at a barrier go on; the rest is the scheduler's.
enum class ThreadState : std::uint8_t {
  runnable,
  gathering,  // at a warp operation without .sync: whoever is there when the scheduler says so takes part
  meeting,    // at a warp operation with .sync: waits for the members of its mask
  at_barrier,
  exited,
};

struct Thread {
  std::uint32_t linear = 0;  // in its block
  Dim3 index{0, 0, 0};       // %tid
  ThreadState state = ThreadState::runnable;
  std::uint32_t barrier = 0;       // waited at
  std::uint32_t meeting_mask = 0;  // the lanes that it meets
  std::vector<Frame> frames;
  std::unique_ptr<std::byte[]> local;  // the local window, made when first needed
  std::uint64_t local_bytes = 0;
  std::uint64_t local_epoch = 0;  // changes of the local window by stores

  unsigned lane() const { return linear % 32; }
  Frame& frame() { return frames.back(); }
  const Frame& frame() const { return frames.back(); }
  // What it stands at; null behind the last instruction of the function.
  const Operation* operation() const {
    const Frame& f = frames.back();
    return f.pc < f.code->operations.size() ? &f.code->operations[f.pc] : nullptr;
  }
  const ptx::Instruction* instruction() const {
    const Operation* standing = operation();
    return standing ? standing->instruction : nullptr;
  }
};

// Whether a and b stand at the same place of the same function at the same depth.
inline bool same_place(const Thread& a, const Thread& b) {
  return a.frames.size() == b.frames.size() && a.frame().code == b.frame().code && a.frame().pc == b.frame().pc;
}
// Order in which groups of a warp run: inner calls first, then what stands earlier in the text, so that threads that
// took different ways meet again behind them.
inline bool runs_before(const Thread& a, const Thread& b) {
  if (a.frames.size() != b.frames.size()) return a.frames.size() > b.frames.size();
  if (a.frame().code != b.frame().code) return a.frame().code->index < b.frame().code->index;
  return a.frame().pc < b.frame().pc;
}

}  // namespace heddle::device::machine
