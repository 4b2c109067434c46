#include "gpu.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/file.hpp"
#include "device/cuda/cuda.hpp"
#include "ptx/parser.hpp"

namespace heddle::bench {

std::string Gpu::text() const {
  const int version = driver->version();
  return fmt::format("{}, driver for CUDA {}.{}", device->info().name, version / 1000, version % 1000 / 10);
}

int gpu_count() { return device::cuda::cuda_device_count(); }

std::optional<Gpu> open_gpu(int ordinal) {
  std::string why;
  if (device::cuda::cuda_device_count(&why) == 0) {
    fmt::print("NOT RUN: there is no GPU: {}\n", why);
    return std::nullopt;
  }
  Gpu gpu;
  const char* wanted = std::getenv("HEDDLE_TEST_GPU");
  gpu.ordinal = ordinal >= 0 ? ordinal : wanted != nullptr ? std::atoi(wanted) : 0;
  gpu.device = device::cuda::make_cuda_device({.ordinal = gpu.ordinal});
  gpu.driver = device::cuda::Driver::find();
  check(gpu, gpu.driver->device_get(&gpu.number, gpu.ordinal), "opening the GPU");
  device::cuda::driver::Context context = nullptr;
  check(gpu, gpu.driver->primary_retain(&context, gpu.number), "making a context");
  check(gpu, gpu.driver->context_set(context), "choosing the context");
  return gpu;
}

void check(const Gpu& gpu, device::cuda::driver::Result result, std::string_view what) {
  if (result != device::cuda::driver::success)
    throw std::runtime_error(fmt::format("{} failed: {}", what, gpu.driver->describe(result)));
}

std::shared_ptr<device::Module> load_kernel(Gpu& gpu, std::string_view name, bool stoppable) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels";
  return load_text(gpu, base::read_file(folder / (std::string(name) + ".ptx")), stoppable);
}

std::shared_ptr<device::Module> load_text(Gpu& gpu, const std::string& ptx, bool stoppable) {
  return gpu.device->load(std::make_shared<ptx::Module>(ptx::parse(ptx, "benchmark")), {.stoppable = stoppable});
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace heddle::bench
