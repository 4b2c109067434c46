// Ends the program where it takes longer than it may: what hangs on a device cannot be interrupted otherwise.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "gpu/machine.hpp"

namespace heddle::bench::lithos_gpu {

class Watchdog {
 public:
  // `last`: called before the end, on the watchdog's thread; it may write what there is.
  Watchdog(double seconds, std::function<void()> last)
      : deadline_(now() + seconds), last_(std::move(last)), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  void now_in(const std::string& what) {
    const std::lock_guard lock(mutex_);
    what_ = what;
  }
  double left() const { return deadline_ - now(); }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      if (left() <= 0) {
        std::printf("\nThe time is over, in: %s. The program ends; what was measured before is kept.\n", what_.c_str());
        std::fflush(stdout);
        last_();
        ::_exit(3);
      }
      changed_.wait_for(lock, std::chrono::duration<double>(left()));
    }
  }

  const double deadline_;
  const std::function<void()> last_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::string what_ = "the start";
  std::thread thread_;
};

}  // namespace heddle::bench::lithos_gpu
