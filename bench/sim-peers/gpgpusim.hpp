// GPGPU-Sim in this process, by its shared library: a PTX file, memory, and launches of one kernel.
//
// It reads gpgpusim.config and the PTX in the working folder, writes files there and prints its figures. It loads one
// PTX file in a process. One thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/comparison/arrays.hpp"
#include "sim/comparison/kernels.hpp"

namespace heddle::bench::peers {

class GpgpuSim final : public comparison::Arrays {
 public:
  // `library` is its libcudart.so; `kernel` a function of `ptx`, a file in the working folder. Throws
  // std::runtime_error.
  GpgpuSim(const std::filesystem::path& library, const std::string& ptx, const std::string& kernel);

  std::uint64_t zeros(std::size_t bytes) override;
  std::uint64_t array(const void* data, std::size_t bytes) override;
  // Launches the kernel and waits for its end. `packed` has its arguments where `function` has them.
  void launch(const comparison::Kernel& kernel, const device::Function& function, std::vector<std::byte> packed);

 private:
  template <class Function>
  Function symbol(const char* name) const;

  void* library_ = nullptr;
};

// Prepares the working folder `folder` for GpgpuSim: the machine of `checkout`'s configuration SM75_RTX2060, and a
// ptxas that prints what GPGPU-Sim can read. Returns the library. Throws std::runtime_error where `checkout` is not
// built.
std::filesystem::path prepare_gpgpusim(const std::filesystem::path& checkout, const std::filesystem::path& folder);

// The last figure of this name that GPGPU-Sim has printed, as "gpu_sim_cycle = 8060". Throws std::runtime_error.
double printed_figure(const std::string& output, const std::string& name);

}  // namespace heddle::bench::peers
