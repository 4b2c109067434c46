// A queue that stands.
#pragma once

#include <atomic>
#include <memory>

#include "device/queue.hpp"

namespace heddle::conformance {

// Lets a queue stand until it is told to go on.
class Gate {
 public:
  explicit Gate(device::Queue& queue) {
    queue.call([open = open_] { open->wait(false); });
  }
  ~Gate() { open(); }
  void open() {
    *open_ = true;
    open_->notify_all();
  }

 private:
  const std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace heddle::conformance
