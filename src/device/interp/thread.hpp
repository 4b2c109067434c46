// A thread of a kernel: its call frames, registers, local memory and what it waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/interp/loaded_module.hpp"
#include "heddle/dim3.hpp"
#include "ptx/semantics/evaluate.hpp"

namespace heddle::device::interp {

// One activation of a function.
struct Frame {
  const Code* code = nullptr;
  std::uint32_t pc = 0;
  bool carry = false;                            // the condition code
  std::uint64_t base = 0, top = 0;               // its part of the thread's local memory
  std::vector<ptx::semantics::Value> registers;  // bits above a register's width are zero
  const ptx::Instruction* call = nullptr;        // what to do on return, in the caller's terms
};

enum class ThreadState : std::uint8_t {
  runnable,
  gathering,  // at a warp operation without .sync: taken with whoever is there when no other thread of the warp can run
  meeting,    // at a warp operation with .sync: waits for the members of its mask
  at_barrier,
  exited,
};

// Whether a thread that turns in a loop repeats itself: its state at a backward branch is compared with an earlier one.
struct SpinWatch {
  std::uint64_t hash = 0, epoch = 0;                 // the remembered state, and the memory epoch then
  std::uint64_t turns = 0, next = 1;                 // remembered anew after 1, 2, 4, ... turns
  std::uint64_t repeated_epoch = ~std::uint64_t{0};  // the epoch in which it was seen to repeat itself
  bool repeats = false;                              // it has come back to the remembered state
};

struct Thread {
  std::uint32_t linear = 0;  // in its block
  Dim3 index{0, 0, 0};       // %tid
  ThreadState state = ThreadState::runnable;
  std::uint32_t barrier = 0;  // waited at
  std::uint32_t meeting_mask = 0;
  std::uint64_t last_run = 0;  // the warp's step count when it last ran
  std::vector<Frame> frames;
  std::unique_ptr<std::byte[]> local;  // the local window, made when first needed
  std::uint64_t local_bytes = 0;
  SpinWatch spin;

  unsigned lane() const { return linear % 32; }
  Frame& frame() { return frames.back(); }
  const Frame& frame() const { return frames.back(); }
  // The instruction that it stands at; null behind the last one of the function.
  const ptx::Instruction* instruction() const {
    const Frame& f = frames.back();
    const auto& body = f.code->function->body;
    return f.pc < body.size() ? &body[f.pc] : nullptr;
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

}  // namespace heddle::device::interp
