// In-order queues of a GPU: a stream each, or one of a partition.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda/event.hpp"
#include "device/cuda/held_commands.hpp"
#include "device/cuda/partition.hpp"
#include "device/cuda/pool_control.hpp"
#include "device/cuda/range_chain.hpp"
#include "device/cuda/tracer.hpp"
#include "device/queue.hpp"

namespace heddle::device::cuda {

class ProgressFlagTable;
class CudaFunction;
class DriverFunction;
class DriverGraph;
struct RangeCode;

class CudaQueue final : public Queue {
 public:
  // Higher priorities run first, as far as the driver has them; beyond its range they count as its ends.
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
  void copy(Span destination, Span source) override;
  void fill(Span destination, std::uint32_t value, unsigned value_bytes) override;
  void copy_box(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent) override;
  void fill_box(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value,
                unsigned value_bytes) override;
  void set_partition(const Partition* partition) override;
  void begin_progress(ProgressFlag& flag, std::uint64_t begin) override;
  void copy_with_progress(Span destination, Span source, ProgressFlag& flag) override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  void call(std::function<void()> function) override;
  void call_with_stream(std::function<void(void* stream)> function) override;
  void synchronize() override;
  bool idle() override;

  // The graph must outlive its end. Throws invalid_argument for one of another device.
  void launch_graph(DriverGraph& graph);

 private:
  // Whether commands must be held back, behind a step of the host.
  bool held_back() const { return held_ && held_->busy(); }
  // Puts a command into the stream, now or when its turn comes. Needs the GPU's context. `may_block`: see
  // HeldCommands::hold_back.
  template <class Command>
  void put(Command&& command, bool may_block = false);
  // A whole grid.
  void start(CudaFunction& kernel, const LaunchConfig& config, std::span<const std::byte> arguments);
  // A range in parts; needs the GPU's context (queue_parts.cpp).
  void put_parts(CudaFunction& kernel, const LaunchConfig& config, BlockRange range, std::uint64_t part,
                 std::span<const std::byte> arguments);
  void start_parts(CudaFunction& kernel, const RangeCode& code, const LaunchConfig& config, BlockRange range,
                   std::uint64_t part, std::span<const std::byte> arguments);
  void refresh(const RangeCode& code);
  void begin_chain(CudaFunction& kernel, const RangeCode& code, const LaunchConfig& config, BlockRange range,
                   std::uint64_t part, std::span<const std::byte> arguments);
  void start_in_turns(CudaFunction& kernel, const RangeCode& code, const LaunchConfig& config, BlockRange range,
                      std::uint64_t part, std::span<std::byte> packed, bool chained);
  void copy_now(const Span& destination, const Span& source, bool from_host, bool to_host);
  std::uint64_t own_word(const ProgressFlag& flag) const;
  void write_word(std::uint64_t word, std::uint64_t value);
  template <class Command>
  void put_reporting(std::uint64_t word, Command&& command);
  void copy_pieces(const Span& destination, const Span& source, std::uint64_t word);
  void copy_box_now(const BoxPlace& destination, const BoxPlace& source, const BoxExtent& extent);
  void fill_box_now(const BoxPlace& destination, const BoxExtent& extent, std::uint32_t value, unsigned value_bytes);
  void check_fill(const Span& destination, unsigned value_bytes) const;
  void fill_now(const Span& destination, std::uint32_t value, unsigned value_bytes);
  void check_cooperative(CudaFunction& function, const LaunchConfig& config, bool whole, BlockRange range) const;
  void check_span(const Span& span, const char* what) const;
  // As much of the destination as the source fills.
  Span check_copy(Span destination, const Span& source) const;
  void launch_whole(CudaFunction& function, const LaunchConfig& config, std::span<const std::byte> arguments);
  void launch_cooperative(CudaFunction& function, const LaunchConfig& config, std::span<const std::byte> arguments);
  void launch_pool(CudaFunction& function, const LaunchConfig& config, BlockRange range,
                   std::span<const std::byte> arguments, unsigned residents, const PoolControl& control);
  CudaFunction& own_function(Function& function) const;
  // Blocks of the code that this queue's SMs run at a time.
  std::uint64_t resident_blocks(const CudaFunction& function, const DriverFunction& code,
                                const LaunchConfig& config) const;
  void remember(const std::string& kernel);
  void check(driver::Result result, std::string_view what) const;
  std::string suspects() const;
  HeldCommands& held();
  // Records an event in the stream, now. Needs the GPU's context.
  void put_record(CudaPoint& point);
  driver::Stream stream_of(driver::GreenContext context, unsigned number = 0);
  const CudaPartition* own_partition(const Partition* partition) const;

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<PartitionTable> partitions_;  // lives as long as the stream
  std::shared_ptr<PoolTable> pools_;
  std::shared_ptr<ProgressFlagTable> progress_flags_;
  Tracer* tracer_;
  std::uint64_t id_;
  // The stream that commands go into, of the partition that is set; one each of all that ever were.
  driver::Stream stream_ = nullptr;
  unsigned processors_ = 0;                 // of the partition
  int priority_ = 0;                        // as the driver counts
  driver::GreenContext context_ = nullptr;  // of the partition; null: the whole GPU
  // By context and number: 0, and those beside it for ranges in turns (range_chain.hpp).
  std::map<std::pair<driver::GreenContext, unsigned>, driver::Stream> streams_;
  std::shared_ptr<HeldCommands> held_;  // made at first use
  RangeChain chain_;                    // of what is last in the stream
  // Launches whose words the GPU may still use, and where each ends.
  struct Stoppable {
    std::shared_ptr<PoolControl> control;
    std::shared_ptr<CudaPoint> end;
  };
  std::deque<Stoppable> stoppable_;
  // The last kernels put in, for messages.
  mutable std::mutex names_mutex_;
  std::array<std::string, 4> recent_;
  std::uint64_t launches_ = 0;
};

template <class Command>
void CudaQueue::put(Command&& command, bool may_block) {
  auto alone = [this, task = Tracer::task(tracer_), command = std::forward<Command>(command)] {
    const Tracer::For held(task);
    chain_.end();
    command();
  };
  if (held_back())
    held_->hold_back(std::move(alone), {}, may_block);
  else
    alone();
}

}  // namespace heddle::device::cuda
