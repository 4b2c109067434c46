// When a process ends, LLVM's tables go before the functions that the program registered with atexit() before LLVM was
// first used. These may launch kernels, but no code can be made or loaded for them any more.
#pragma once

namespace heddle::device::cpu {

// To be called after each use: LLVM makes some of its tables as it needs them. Any thread.
void llvm_was_used() noexcept;
// Any thread.
bool llvm_has_ended() noexcept;

}  // namespace heddle::device::cpu
