// PTX to machine code for the host: one kernel, specialised on its block size, as a relocatable ELF object that needs
// no symbol from outside (it reaches the runtime through LaunchContext, see ../abi.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/checks.hpp"
#include "heddle/dim3.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

// direct: nothing in the kernel can wait; the object's entry is a DirectEntry.
// phases: warps wait for one another at barriers only, each of which all threads of the block take part in. So the
// block's warps run one after the other to the next barrier; the entry is a PhaseEntry, which a warp begins with.
// fiber: warps may wait for one another anywhere; the entry is a WarpEntry that runs on a fiber of its own.
enum class Shape : std::uint8_t { direct, phases, fiber };

struct CodegenOptions {
  Dim3 block;            // the launch's block size, a constant in the code
  Checks check = false;  // mistakes to look for
  // The launch's grid satisfies grid.d * block.d < 2^31 in every dimension d, so global thread ids do not wrap.
  bool global_id_fits = true;
  bool phases = true;  // the shape of this name may be chosen
  // For tests and measurements: 0 lets the generator choose; 1, 8, 16 or 32 asks for that many lanes.
  unsigned width = 0;
};

struct CompiledKernel {
  Shape shape = Shape::direct;
  unsigned width = 32;                    // lanes of one WarpContext
  bool may_wait = false;                  // has loops that wait for other warps or blocks
  std::uint32_t static_shared_bytes = 0;  // where the dynamic part of the shared window begins
  std::uint32_t stack_bytes = 0;          // of one fiber: frames and local memory of all its lanes
  std::uint32_t frame_bytes = 0;          // of a warp that waits, in the shape of phases
  std::uint32_t streamed_bytes = 0;       // that one thread writes by stores that may go past the caches
  std::vector<char> object;               // ELF relocatable; entry symbol "heddle_kernel"; line table: line = PTX line
  std::string explanation;                // which shape and width were chosen, and why
};

// Throws heddle::Error: unsupported, with instruction and line, for what the CPU device does not run. Any thread.
CompiledKernel compile_kernel(const ptx::Module& module, const ptx::Function& kernel, const CodegenOptions& options);

// Throws what compile_kernel would throw for what the CPU device does not run, without the time for machine code.
void check_kernel(const ptx::Module& module, const ptx::Function& kernel, const CodegenOptions& options);

// The name of the host CPU and its features, as part of cache keys.
std::string host_identity();

}  // namespace heddle::device::cpu
