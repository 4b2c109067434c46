// Profiles of kernels on GPUs, real and simulated: what a few blocks do. Kernelet (Zhong and He, arXiv 1303.5164),
// sections 4.3 to 4.5.
#pragma once

#include <string>

#include "batch/profiler.hpp"
#include "model/occupancy.hpp"

namespace heddle::batch {

struct ProfileOptions {
  unsigned rounds = 2;  // of full devices, for the IPC
  // How much more time a kernel may take in slices of the smallest size than whole (section 4.1: p).
  double overhead = .02;
};
// Runs one full device of blocks to count, then a few more for the IPC, then some in slices of several sizes for the
// smallest one. The kernel's arrays hold anything afterwards.
sched::KernelTraits profile(Profiler& profiler, Kernel& kernel, const sched::CoRunDevice& corun,
                            ProfileOptions options = {});

// The same numbers as text, a line each.
std::string profile_text(const Kernel& kernel, const sched::KernelTraits& traits, const model::SmLimits& limits);

}  // namespace heddle::batch
