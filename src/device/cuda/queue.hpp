// In-order queues of a GPU: a stream each, or one of a partition.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "device/cuda/command_stream.hpp"
#include "device/cuda/grid_launcher.hpp"
#include "device/cuda/part_launcher.hpp"
#include "device/cuda/partition.hpp"
#include "device/cuda/pool_launcher.hpp"
#include "device/cuda/progress_copies.hpp"
#include "device/cuda/queue_copies.hpp"
#include "device/queue.hpp"

namespace heddle::device::cuda {

class DriverGraph;

// Checks arguments and delegates: launches of whole grids, of parts and of pools, copies, copies that report their
// progress; the order of all of these is CommandStream's.
class CudaQueue final : public Queue {
 public:
  // Priorities beyond the driver's range are clamped to it.
  CudaQueue(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<PartitionTable> partitions,
            std::shared_ptr<PoolTable> pools, std::shared_ptr<ProgressFlagTable> progress_flags, Tracer* tracer,
            const QueueOptions& options);
  ~CudaQueue() override;

  void launch(Function& function, const LaunchConfig& config, BlockRange range,
              std::span<const std::byte> arguments) override;
  void launch_parts(Function& function, const LaunchConfig& config, BlockRange range, std::uint64_t part,
                    std::span<const std::byte> arguments) override;
  std::shared_ptr<StoppableLaunch> launch_stoppable(Function& function, const LaunchConfig& config, BlockRange range,
                                                    std::span<const std::byte> arguments, unsigned residents) override;
  void copy(Span destination, Span source) override { copies_.copy(destination, source); }
  void fill(Span destination, std::uint32_t value, unsigned value_bytes) override {
    copies_.fill(destination, value, value_bytes);
  }
  void copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) override {
    copies_.copy_box(destination, source, extent);
  }
  void fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                unsigned value_bytes) override {
    copies_.fill_box(destination, extent, value, value_bytes);
  }
  void set_partition(const Partition* partition) override;
  void begin_progress(ProgressFlag& flag, std::uint64_t begin) override { progress_.begin_progress(flag, begin); }
  void copy_with_progress(Span destination, Span source, ProgressFlag& flag) override {
    progress_.copy_with_progress(destination, source, flag);
  }
  void record(Event& event) override;
  void record_late(Event& event) override;
  void wait(const Event& event) override;
  void call(std::function<void()> function) override;
  void call_with_stream(std::function<void(void* stream)> function) override;
  void synchronize() override { commands_.synchronize(); }
  bool idle() override;

  // The graph must outlive its end. Throws invalid_argument for one of another device.
  void launch_graph(DriverGraph& graph);

 private:
  CudaEvent& own_event(Event& event) const;
  const DeviceState& state() const { return *commands_.state(); }

  std::shared_ptr<PartitionTable> partitions_;  // outlives the streams
  CommandStream commands_;
  GridLauncher grids_;
  PartLauncher parts_;
  PoolLauncher pools_;
  QueueCopies copies_;
  ProgressCopies progress_;
};

}  // namespace heddle::device::cuda
