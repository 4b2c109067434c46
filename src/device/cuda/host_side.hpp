// What a queue does on the host: functions in queue order, waits for events that the driver does not know, and whatever
// is put into the queue behind them.
//
// A stream is never made to wait for the host. The driver may wait for all streams of a GPU before it loads a kernel or
// maps memory, on the very thread that the host's part depends on. Instead, commands behind a step of the host are held
// back here until it is over, and go into the stream then.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "device/cuda/state.hpp"
#include "device/event.hpp"

namespace heddle::device::cuda {

class HostSide {
 public:
  // `synchronize` waits for the stream and throws what failed there.
  HostSide(std::shared_ptr<DeviceState> state, std::function<void()> synchronize);
  // Waits for what there is to do.
  ~HostSide();
  HostSide(const HostSide&) = delete;
  HostSide& operator=(const HostSide&) = delete;

  // One thread at a time calls these.
  // Whether commands must be held back, also to be skipped behind a failure.
  bool busy() const { return busy_.load(std::memory_order_acquire); }
  // Runs the function once the stream has done what is before it.
  void call(std::function<void()> function);
  void wait(std::shared_ptr<const EventPoint> point);
  // Puts a command into the stream when its turn comes. After a failure `skipped` is called instead.
  void hold_back(std::function<void()> command, std::function<void(std::exception_ptr)> skipped = {});
  // Waits until nothing is held back.
  void drain();
  // What failed first, once.
  std::exception_ptr take_failure();

 private:
  struct Step {
    std::function<void()> run;
    std::function<void(std::exception_ptr)> skipped;
  };

  void add(Step step);
  void work();

  std::shared_ptr<DeviceState> state_;
  std::function<void()> synchronize_;
  std::atomic<bool> busy_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Step> steps_;
  std::exception_ptr failure_;
  bool running_ = false;  // a step
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace heddle::device::cuda
