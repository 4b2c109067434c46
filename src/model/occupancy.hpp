// How many blocks of a kernel an SM of an NVIDIA GPU holds at a time: pure functions of numbers. The limits of each
// compute capability are those of CUDA's programming guide. The units in which registers and shared memory are
// allocated are those of CUDA's own calculator.
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::model {

// What an SM has, and the units in which it allocates it. Bytes of memory, 32-bit registers.
struct SmLimits {
  unsigned threads = 2048, blocks = 32, warp = 32;
  unsigned block_threads = 1024;   // a block's most
  unsigned registers = 64 * 1024;  // an SM's
  unsigned block_registers = 64 * 1024;
  unsigned thread_registers = 255;    // a thread's most
  unsigned register_unit = 256;       // a warp's registers are a multiple of it
  unsigned warp_unit = 4;             // partitions of an SM, each with its part of the registers
  std::uint64_t shared = 0;           // an SM's
  std::uint64_t block_shared = 0;     // a block's most, with the kernel's leave
  std::uint64_t reserved_shared = 0;  // taken of every block by the system
  unsigned shared_unit = 128;
};

// Of a compute capability as 80 for 8.0; nothing for one that is not known. From 7.0 on.
std::optional<SmLimits> limits_of(unsigned capability);

struct BlockNeeds {
  unsigned threads = 1;      // of a block
  unsigned registers = 0;    // of a thread
  std::uint64_t shared = 0;  // static and dynamic
};

// How many such blocks an SM holds at a time; 0 when it cannot hold even one.
unsigned resident_blocks(const SmLimits& limits, const BlockNeeds& needs);

// How much dynamic shared memory blocks may have so that an SM still holds `blocks` of them; `needs.shared` is the
// static part. Nothing if it does not hold that many even without dynamic memory.
std::optional<std::uint64_t> dynamic_shared_for(const SmLimits& limits, const BlockNeeds& needs, unsigned blocks);

// The most threads that a block may have by its registers, a multiple of a warp.
unsigned most_threads(const SmLimits& limits, unsigned registers);

}  // namespace heddle::model
