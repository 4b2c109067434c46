// Queues of the CPU device.
#pragma once

#include <memory>
#include <utility>

#include "device/cpu/queue_core.hpp"
#include "device/queue.hpp"

namespace heddle::device::cpu {

class CpuFunction;
class LaunchJob;
class Pool;
class Services;

class CpuQueue final : public Queue {
 public:
  CpuQueue(Device& device, Pool& pool, Services& services, int priority, WorkerSet workers);
  // Waits for what is in flight.
  ~CpuQueue() override;

  void launch(Function& function, const LaunchConfig& config, BlockRange range,
              std::span<const std::byte> arguments) override;
  std::shared_ptr<StoppableLaunch> launch_stoppable(Function& function, const LaunchConfig& config, BlockRange range,
                                                    std::span<const std::byte> arguments, unsigned residents) override;
  void copy(Span destination, Span source) override;
  void fill(Span destination, std::uint32_t value, unsigned value_bytes) override;
  void copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) override;
  void fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                unsigned value_bytes) override;
  void set_partition(const Partition* partition) override;
  void set_footprint(std::shared_ptr<const Footprint> footprint) override { footprint_ = std::move(footprint); }
  void record(Event& event) override;
  void wait(const Event& event) override;
  void call(std::function<void()> function) override;
  void synchronize() override;

 private:
  void drain();
  std::shared_ptr<LaunchJob> make_job(CpuFunction& kernel, const LaunchConfig& config, BlockRange range,
                                      std::span<const std::byte> arguments);
  void check_span(const Span& span, const char* what) const;

  Device& device_;
  Pool& pool_;
  Services& services_;
  std::shared_ptr<QueueCore> core_;
  std::shared_ptr<EventState> drained_;
  std::shared_ptr<const Footprint> footprint_;  // of the next launches
};

}  // namespace heddle::device::cpu
