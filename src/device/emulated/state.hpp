// State that the parts of an emulated device share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/thread_safety.hpp"
#include "base/watcher.hpp"
#include "device/emulated/engine.hpp"
#include "device/machine/machine.hpp"

namespace heddle::device::emulated {

// A fair lock (ticket lock): launches of several queues take turns in the order of their requests. So kernels see each
// other's writes at once, and no two accesses race.
class TurnLock {
 public:
  void lock();
  void unlock();

 private:
  base::Mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ HEDDLE_GUARDED_BY(mutex_) = 0, serving_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

struct DeviceState {
  // `clock`: %globaltimer. `its_watcher` runs the callbacks of events.
  DeviceState(machine::Options options, const base::Clock& clock, std::shared_ptr<base::Watcher> its_watcher)
      : watcher(std::move(its_watcher)), machine(std::move(options), clock) {}

  const std::shared_ptr<base::Watcher> watcher;
  TurnLock turn;
  machine::Machine machine;  // guarded by `turn`, except its address map
  std::unique_ptr<Engine> engine;
  std::atomic<std::uint64_t> allocated_bytes{0};  // of the device's memory
};

}  // namespace heddle::device::emulated
