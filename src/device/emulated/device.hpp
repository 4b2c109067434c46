// A device whose kernels an engine executes with the machine core, in memory of the host.
#pragma once

#include <memory>
#include <mutex>

#include "device/device.hpp"
#include "device/emulated/state.hpp"

namespace heddle::device::emulated {

// Queues, modules, memory and events of the device must be destroyed before it.
class EmulatedDevice : public Device {
 public:
  // `state` has its engine. memory_bytes of `info` is set to the host's.
  EmulatedDevice(std::shared_ptr<DeviceState> state, DeviceInfo info);

  const DeviceInfo& info() const override { return info_; }
  const base::Clock& clock() const override { return state_->engine->clock(); }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override;
  std::unique_ptr<Memory> allocate_host(std::size_t bytes) override;
  std::unique_ptr<Memory> register_host(void* data, std::size_t bytes) override;
  TextureTable* textures() override { return &state_->machine.textures; }
  std::uint64_t free_memory() override;
  std::shared_ptr<Module> load(std::shared_ptr<const ptx::Module> module, const LoadOptions& options) override;
  std::unique_ptr<Queue> queue(const QueueOptions& options) override;
  std::unique_ptr<Event> event() override;
  std::unique_ptr<Partition> partition(const ProcessorSet& processors) override;
  double measured_bandwidth() override;

  DeviceState& state() const { return *state_; }

 private:
  std::shared_ptr<DeviceState> state_;
  DeviceInfo info_;
  std::once_flag measured_;
  double bandwidth_ = 0;
};

}  // namespace heddle::device::emulated
