// Waits for events of other devices on behalf of queues: such events can only be asked, so a thread asks.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "device/event.hpp"

namespace heddle::device::cpu {

class QueueCore;

class EventWatcher {
 public:
  EventWatcher() = default;
  ~EventWatcher();
  EventWatcher(const EventWatcher&) = delete;
  EventWatcher& operator=(const EventWatcher&) = delete;
  // Resumes the queue when the point is reached. False: it is already. The first call starts the thread.
  bool subscribe(std::shared_ptr<const EventPoint> point, std::shared_ptr<QueueCore> queue);

 private:
  void run();
  struct Entry {
    std::shared_ptr<const EventPoint> point;
    std::shared_ptr<QueueCore> queue;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace heddle::device::cpu
