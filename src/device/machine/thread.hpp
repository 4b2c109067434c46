// A thread of a kernel: its call frames, registers, local memory, and what it waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/machine/frame_stack.hpp"
#include "heddle/dim3.hpp"

namespace heddle::device::machine {

// The local memory of a thread.
struct LocalMemory {
  std::vector<std::byte> storage;
  std::byte* window = nullptr;  // within it, aligned for any variable
  std::uint64_t bytes = 0;
  std::uint64_t epoch = 0;  // changes of the window by stores
};

// The core sets `exited`, and makes threads at a barrier runnable. The scheduler sets the other states.
enum class ThreadState : std::uint8_t {
  runnable,
  gathering,  // at a warp operation without .sync: waits until the scheduler calls perform() for the lanes at it
  meeting,    // at a warp operation with .sync: waits for the members of its mask
  at_barrier,
  exited,
};

struct Thread {
  std::uint32_t linear = 0;  // index in its block
  Dim3 index{0, 0, 0};       // %tid
  ThreadState state = ThreadState::runnable;
  std::uint8_t barrier = 0;          // number of the barrier at which it waits
  std::uint32_t meeting_mask = 0;    // the mask of the .sync operation at which it waits
  std::uint32_t* counter = nullptr;  // its program counter, in Block::counters
  FrameStack frames;
  std::unique_ptr<LocalMemory> local_memory;  // made when first needed

  // The local window; null: not made yet.
  std::byte* local() const { return local_memory ? local_memory->window : nullptr; }
  std::uint64_t local_bytes() const { return local_memory ? local_memory->bytes : 0; }
  std::uint64_t local_epoch() const { return local_memory ? local_memory->epoch : 0; }
  unsigned lane() const { return linear % 32; }
  Frame& frame() { return frames.back(); }
  const Frame& frame() const { return frames.back(); }
  // The number of the instruction at which it is, in the innermost frame's function.
  std::uint32_t& pc() { return *counter; }
  std::uint32_t pc() const { return *counter; }
  // The operation at which it is; null after the last instruction of the function.
  const Operation* operation() const {
    const Frame& f = frames.back();
    return pc() < f.code->operations.size() ? &f.code->operations[pc()] : nullptr;
  }
  const ptx::Instruction* instruction() const {
    const Operation* standing = operation();
    return standing ? standing->instruction : nullptr;
  }
};

// Whether a and b are at the same instruction, and the same calls lead there. Lanes that call a function from branches
// that exclude each other do not run it together: a mask of its active lanes would not hold after the return.
inline bool same_place(const Thread& a, const Thread& b) {
  return a.pc() == b.pc() && a.frames.size() == b.frames.size() && a.frame().code == b.frame().code &&
         a.frame().path() == b.frame().path();
}
// The order in which groups of a warp run: deeper calls first, then those at earlier instructions. So threads that have
// diverged reconverge after the branches.
inline bool runs_before(const Thread& a, const Thread& b) {
  if (a.frames.size() != b.frames.size()) return a.frames.size() > b.frames.size();
  if (a.frame().code != b.frame().code) return a.frame().code->index < b.frame().code->index;
  return a.pc() < b.pc();
}

}  // namespace heddle::device::machine
