// A queue: one thread that runs the commands in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "device/interp/event.hpp"
#include "device/interp/loaded_module.hpp"
#include "device/queue.hpp"

namespace heddle::device::interp {

class InterpQueue final : public Queue {
 public:
  InterpQueue(Device& device, std::shared_ptr<DeviceState> state);
  ~InterpQueue() override;  // waits for what was put in

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
  // `run` is skipped after a failure; `finally` is not, and gets the failure there is.
  struct Command {
    std::function<void()> run;
    std::function<void(std::exception_ptr)> finally;
  };
  void check_span(const Span& span, const char* what) const;
  void push(Command command);
  void work();

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<const Footprint> footprint_;  // of the next launches
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Command> commands_;
  std::exception_ptr failure_;
  bool busy_ = false, stop_ = false;
  std::thread worker_;
};

}  // namespace heddle::device::interp
