// The cases of tests/data/run on a GPU. $HEDDLE_TEST_GPU chooses which.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "device/cuda/cuda.hpp"
#include "ptx/printer.hpp"
#include "support/ptx_test.hpp"

namespace heddle::test {
namespace {

using device::Device;

// The GPU, opened once, with modules kept from case to case: the driver takes a second for some files. Modules whose
// variables kernels may write are loaded anew each time.
class KeepingDevice final : public Device {
 public:
  explicit KeepingDevice(Device& gpu, std::map<std::string, std::shared_ptr<device::Module>>& kept)
      : gpu_(gpu), kept_(kept) {}
  const device::DeviceInfo& info() const override { return gpu_.info(); }
  const base::Clock& clock() const override { return gpu_.clock(); }
  std::unique_ptr<device::Memory> allocate(std::size_t bytes) override { return gpu_.allocate(bytes); }
  std::unique_ptr<device::Memory> allocate_host(std::size_t bytes) override { return gpu_.allocate_host(bytes); }
  std::unique_ptr<device::Memory> register_host(void* data, std::size_t bytes) override {
    return gpu_.register_host(data, bytes);
  }
  std::uint64_t free_memory() override { return gpu_.free_memory(); }
  std::unique_ptr<device::Queue> queue(const device::QueueOptions& options) override { return gpu_.queue(options); }
  std::unique_ptr<device::Event> event() override { return gpu_.event(); }
  std::unique_ptr<device::Partition> partition(const device::ProcessorSet& set) override { return gpu_.partition(set); }
  double measured_bandwidth() override { return gpu_.measured_bandwidth(); }
  std::shared_ptr<device::Module> load(std::shared_ptr<const ptx::Module> module,
                                       const device::LoadOptions& options) override {
    const bool writable = std::any_of(module->variables.begin(), module->variables.end(),
                                      [](const ptx::Variable& v) { return v.space == ptx::Space::global; });
    if (writable) return gpu_.load(std::move(module), options);
    auto& kept = kept_[ptx::print(*module)];
    if (!kept) kept = gpu_.load(std::move(module), options);
    return kept;
  }

 private:
  Device& gpu_;
  std::map<std::string, std::shared_ptr<device::Module>>& kept_;
};

std::string skip(const PtxCase& c) {
  if (device::cuda::cuda_device_count() == 0) return "NOT RUN: no GPU";
  if (c.error) return "a fault ends the GPU's context, and what the CPU device refuses a GPU may run";
  if (c.print) return "the driver prints to standard output itself";
  if (c.source.find(".target sm_100") != std::string::npos) return "PTX for compute capability 10.0 and later";
  if (c.check) return "a GPU cannot check accesses";
  return {};
}

}  // namespace
}  // namespace heddle::test

int main(int argc, char** argv) {
  using namespace heddle::test;
  std::unique_ptr<heddle::device::Device> gpu;
  std::map<std::string, std::shared_ptr<heddle::device::Module>> kept;
  const char* ordinal = std::getenv("HEDDLE_TEST_GPU");
  if (heddle::device::cuda::cuda_device_count() > 0)
    gpu = heddle::device::cuda::make_cuda_device({.ordinal = ordinal ? std::atoi(ordinal) : 0});
  return run_ptx_tests(
      argc, argv, "cuda", [&](const TestDeviceOptions&) { return std::make_unique<KeepingDevice>(*gpu, kept); }, skip);
}
