// What a policy may know of kernels that could share an SM (Kernelet: Zhong and He, arXiv 1303.5164).
#pragma once

#include <cstdint>

#include "model/corun/pairs.hpp"

namespace heddle::sched {

// A kernel with its launch shape, from a profile of a few of its blocks.
struct KernelTraits {
  std::uint64_t id = 0;          // traits with equal ids are of the same code, block and dynamic shared memory
  model::Candidate kernel = {};  // section 2.4 of the paper: R_m, I, PUR, MUR, needs, smallest slice
  // Measured: instructions of warps in a cycle of an SM that is full of its blocks alone. 0: not known, the model says.
  double alone_ipc = 0;
  double forecast_ipc = 0;  // the same as the network said before it was measured; 0: not known
};

// A device whose SMs can hold blocks of several kernels: the model's figures for one SM.
struct CoRunDevice {
  model::SmModel sm = {};
  model::SmLimits limits = {};
  double launch_cycles = 0;  // from the submission of a launch to its first block, in cycles of an SM
  // Of the host, for each slice. Not 0: slices of a kernel run in so many queues, in each of them one after the other.
  double slice_cycles = 0;
  unsigned lanes = 1;
  double cycles_per_ns = 0;  // of an SM; 0: not known
};

}  // namespace heddle::sched
