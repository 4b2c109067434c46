// The CPU device.
#pragma once

#include <memory>
#include <mutex>

#include "device/cpu/module.hpp"
#include "device/cpu/options.hpp"
#include "device/cpu/pool.hpp"
#include "device/cpu/services.hpp"
#include "device/cpu/topology.hpp"
#include "device/device.hpp"
#include "device/host_memory.hpp"

namespace heddle::device::cpu {

class CpuDevice final : public Device {
 public:
  // `provider` makes code for kernels; `soft_functions` is what it may call for rare instructions.
  CpuDevice(const CpuOptions& options, CodeProvider provider, void (*const* soft_functions)());

  const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override;
  std::unique_ptr<Memory> allocate_host(std::size_t bytes) override;
  std::unique_ptr<Memory> register_host(void* data, std::size_t bytes) override;
  TextureTable* textures() override { return &services_.textures; }
  std::uint64_t free_memory() override;
  std::shared_ptr<Module> load(std::shared_ptr<const ptx::Module> module, const LoadOptions& options) override;
  std::unique_ptr<Queue> queue(const QueueOptions& options) override;
  std::unique_ptr<Event> event() override;
  std::unique_ptr<Partition> partition(const ProcessorSet& processors) override;
  std::vector<std::string> heap_blocks() const override;
  double measured_bandwidth() override;
  const base::Clock& clock() const override { return services_.clock(); }

  Pool& pool() { return pool_; }
  Services& services() { return services_; }

 private:
  Topology topology_;
  Services services_;
  CodeProvider provider_;
  DeviceInfo info_;
  Pool pool_;
  std::once_flag bandwidth_once_;
  double bandwidth_ = 0;
};

}  // namespace heddle::device::cpu
