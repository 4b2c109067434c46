#include "device/cuda/host_side.hpp"

#include <chrono>
#include <utility>

namespace heddle::device::cuda {
namespace {

constexpr std::chrono::microseconds poll_period{20};

}  // namespace

HostSide::HostSide(std::shared_ptr<DeviceState> state, std::function<void()> synchronize)
    : state_(std::move(state)), synchronize_(std::move(synchronize)), thread_([this] { work(); }) {}

HostSide::~HostSide() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HostSide::add(Step step) {
  {
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
    busy_.store(true, std::memory_order_release);
  }
  changed_.notify_all();
}

void HostSide::call(std::function<void()> function) {
  add({[this, function = std::move(function)] {
         const DeviceState::Current current(*state_);
         synchronize_();
         const DeviceState::Foreign foreign(*state_);
         function();
       },
       {}});
}

void HostSide::wait(std::shared_ptr<const EventPoint> point) {
  add({[this, point = std::move(point)] {
         while (!point->done() && !state_->lost()) std::this_thread::sleep_for(poll_period);
       },
       {}});
}

void HostSide::hold_back(std::function<void()> command, std::function<void(std::exception_ptr)> skipped) {
  add({[this, command = std::move(command)] {
         const DeviceState::Current current(*state_);
         command();
       },
       std::move(skipped)});
}

void HostSide::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return steps_.empty() && !running_; });
}

std::exception_ptr HostSide::take_failure() {
  const std::lock_guard lock(mutex_);
  busy_.store(!steps_.empty() || running_, std::memory_order_release);
  return std::exchange(failure_, nullptr);
}

void HostSide::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || !steps_.empty(); });
    if (steps_.empty()) return;
    Step step = std::move(steps_.front());
    steps_.pop_front();
    running_ = true;
    std::exception_ptr failure = failure_;
    lock.unlock();
    if (!failure) {
      try {
        step.run();
      } catch (...) {
        failure = std::current_exception();
      }
    }
    if (failure && step.skipped) step.skipped(failure);
    step = {};
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    running_ = false;
    if (steps_.empty()) {
      busy_.store(failure_ != nullptr, std::memory_order_release);
      changed_.notify_all();
    }
  }
}

}  // namespace heddle::device::cuda
