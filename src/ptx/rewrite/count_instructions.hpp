// A kernel that counts what it executes: for profiles on devices without counters (Kernelet: Zhong and He, arXiv
// 1303.5164, section 4.4, which reads a GPU's).
#pragma once

#include <cstdint>
#include <string>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// Two 64-bit words in memory, to which each thread adds at its end.
struct InstructionCounts {
  std::uint64_t instructions = 0;  // of threads, also where a guard keeps them from doing anything
  std::uint64_t accesses = 0;      // of these, those of global, local and generic memory
};

struct CountingKernel {
  Module module;            // the kernel has one parameter more, the last one: the address of the counts
  std::string name;         // of the kernel
  std::string why_refused;  // a sentence; empty: none
};

// `entry`: index of a kernel with a body. Calls become part of its body. A kernel that calls what cannot be, or that
// branches by tables, is refused. The module has variables of its own; a kernel that uses variables is refused, since
// the program may have set them. Pure.
CountingKernel count_instructions(const Module& module, std::uint32_t entry);

}  // namespace heddle::ptx
