// One kernel on one simulator, in this process.
#pragma once

#include <filesystem>
#include <string>

#include "sim/comparison/kernels.hpp"

namespace heddle::bench::peers {

// What one run gives. Cycles are the launch's, with what it costs to launch.
struct Figures {
  double cycles = 0, thread_instructions = 0, warp_instructions = 0;
  double seconds = 0;  // on the processor, of the thread that simulates
};

// Kernels by their names, and "nothing". Both simulators get `kernels`/FILE.ptx. Files are written in the working
// folder. Both throw std::runtime_error and Error.
Figures run_on_heddle(const std::string& name, comparison::Sizes sizes, const std::filesystem::path& kernels,
                      const std::filesystem::path& machine);
// Figures without instructions and cycles, which GPGPU-Sim prints.
Figures run_on_gpgpusim(const std::string& name, comparison::Sizes sizes, const std::filesystem::path& kernels,
                        const std::filesystem::path& library);

}  // namespace heddle::bench::peers
