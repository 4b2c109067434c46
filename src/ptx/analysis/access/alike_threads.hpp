// Interchangeable threads: nothing that the kernel does depends on which of them does it.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// Whether the threads of a block that differ only in %tid.y and %tid.z do the same, and doing it once is the same as
// all of them doing it in step: no function of the module (a kernel and those that it may call) reads one of these or
// anything computed from them, synchronises with other threads, counts with atomic operations, or waits. Kernels whose
// blocks have more dimensions than they look at do so (mvt of PolyBench), and where such threads read, add and write
// back they are right only in step. "No" where it is not certain.
bool rows_are_alike(const Module& module);

}  // namespace heddle::ptx::analysis
