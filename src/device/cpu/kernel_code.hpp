// Machine code of a kernel for one block size, ready to run.
#pragma once

#include <cstdint>

#include "device/cpu/abi.hpp"
#include "device/cpu/codegen/codegen.hpp"

namespace heddle::device::cpu {

class KernelCode {
 public:
  virtual ~KernelCode() = default;

  Shape shape = Shape::direct;
  unsigned width = 32;                    // lanes of one WarpContext
  bool may_wait = false;                  // has loops that wait for other warps or blocks
  std::uint32_t static_shared_bytes = 0;  // where the dynamic part of the shared window begins
  std::uint32_t stack_bytes = 0;          // of one fiber
  std::uint32_t frame_bytes = 0;          // of a warp that waits; shape of phases
  std::uint32_t streamed_bytes = 0;       // that one thread writes by stores that may go past the caches
  const void* entry = nullptr;            // DirectEntry, PhaseEntry or WarpEntry

  // Whether the address is in the code. Safe in signal handlers.
  virtual bool contains(const void* address) const = 0;
  // The PTX line that a code address belongs to, 0 when unknown. May read debug information: slow, any thread.
  virtual unsigned line_of(const void* address) const = 0;
};

}  // namespace heddle::device::cpu
