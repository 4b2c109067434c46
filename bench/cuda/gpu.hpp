// What the benchmarks of the CUDA device share: a GPU through Heddle, and the bare driver beside it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda/driver.hpp"
#include "device/device.hpp"
#include "support/pack.hpp"
#include "support/results.hpp"

namespace heddle::bench {

// The GPU of $HEDDLE_TEST_GPU (0 without it). The bare driver uses the context that Heddle's device has: the process's
// primary one, current on the thread that opened it.
struct Gpu {
  int ordinal = 0;
  std::unique_ptr<device::Device> device;
  std::shared_ptr<const device::cuda::Driver> driver;
  device::cuda::driver::DeviceNumber number = 0;

  std::string text() const;  // "NVIDIA H200, driver for CUDA 13.0"
};
// Says on standard output why there is none.
std::optional<Gpu> open_gpu(int ordinal = -1);
int gpu_count();

// Throws for anything but success.
void check(const Gpu& gpu, device::cuda::driver::Result result, std::string_view what);

// A kernel of bench/cpu/kernels, or a PTX text.
std::shared_ptr<device::Module> load_kernel(Gpu& gpu, std::string_view name, bool stoppable = false);
std::shared_ptr<device::Module> load_text(Gpu& gpu, const std::string& ptx, bool stoppable = false);

double seconds();  // of a steady clock

}  // namespace heddle::bench
