// Kernels whose warps wait at barriers only, as coroutines: what a warp goes on with after a barrier lies in a frame,
// and control returns to the caller at each barrier. So a block's warps take turns by calls and returns, which cost a
// fifth of a switch between fibers, and need no stacks of their own. LLVM's coroutine passes make the frame.
#pragma once

#include <cstdint>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace heddle::device::cpu {

// Makes `function` a coroutine whose frame is at `memory`, of `frame_alignment`. `b` is at its beginning. Returns the
// block that returns to the caller.
llvm::BasicBlock* begin_phases(llvm::IRBuilder<>& b, llvm::Function& function, llvm::Value* memory);
// A place where the warp waits for the others: `b` goes on where it continues.
void emit_phase_end(llvm::IRBuilder<>& b, llvm::BasicBlock* suspend);

// The passes that split coroutines. What is needed after a barrier is read from the frame in each block that uses it
// then: passes that find such reads again, and take them out of loops, have to follow.
void add_phase_passes(llvm::ModulePassManager& pipeline);
// After these passes: bytes of the frame of the coroutine with this name.
std::uint32_t frame_bytes(const llvm::Module& module, llvm::StringRef coroutine);

}  // namespace heddle::device::cpu
