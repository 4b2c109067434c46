// An event that the test itself reaches: to the device under test it is one of another device.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "base/watcher.hpp"
#include "device/polled_point.hpp"

namespace heddle::tests {

struct FlagPoint final : device::PolledPoint {
  FlagPoint() : PolledPoint(base::process_watcher(), nullptr) {}
  bool done() const override { return reached; }
  std::atomic<bool> reached{false};
};

class FlagEvent final : public device::Event {
 public:
  // A record, which is done once its flag is set.
  std::shared_ptr<FlagPoint> record() { return last_ = std::make_shared<FlagPoint>(); }
  bool done() const override { return !last_ || last_->done(); }
  void wait() override {
    while (!done()) std::this_thread::yield();
  }
  unsigned long long completed_ns() const override { return 0; }
  std::shared_ptr<const device::EventPoint> point() const override { return last_; }

 private:
  std::shared_ptr<FlagPoint> last_;
};

}  // namespace heddle::tests
