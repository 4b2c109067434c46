// A queue of an emulated device: one thread runs its commands in order.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "base/thread_safety.hpp"
#include "base/worker_thread.hpp"
#include "device/emulated/event.hpp"
#include "device/emulated/loaded_module.hpp"
#include "device/queue.hpp"

namespace heddle::device::emulated {

// The destructor waits for the commands in the queue.
class CommandQueue final : public Queue {
 public:
  CommandQueue(Device& device, std::shared_ptr<DeviceState> state, int priority);

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
  // Appends a command. `run` is skipped after a failure. `finally` always runs; it gets the queue's failure or null.
  void push(std::function<void()> run, std::function<void(std::exception_ptr)> finally = {});
  std::exception_ptr failure() const;
  void check_span(const Span& span, const char* what) const;

  void push_launch(Function& function, const LaunchConfig& config, BlockRange range,
                   std::span<const std::byte> arguments, std::shared_ptr<StopFlag> flag);
  Transfer transfer(const Span& destination, const Span& source) const;

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  const int priority_;
  std::shared_ptr<const ProcessorSet> processors_;  // for the launches from now on; null: all
  std::shared_ptr<const Footprint> footprint_;      // for the launches from now on
  std::uint64_t time_ = 0;                          // at which the commands so far have ended; of the worker's thread
  mutable base::Mutex mutex_;
  std::exception_ptr failure_ HEDDLE_GUARDED_BY(mutex_);  // the first, until synchronize() has thrown it
  base::WorkerThread worker_;                             // the last member, as its commands use the others
};

}  // namespace heddle::device::emulated
