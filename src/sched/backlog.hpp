// Bounds what a program that never waits has pending, and so the memory that it takes.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_safety.hpp"
#include "device/event.hpp"

namespace heddle::sched {

// Commands that were made one after the other and may not have run yet. After each `stride` of them a mark is added;
// the thread that makes them waits while `most` marks are not reached. Any thread.
class Backlog {
 public:
  static constexpr std::uint32_t stride = 4096, most = 4;
  // The records, none of them null, after which all commands before the mark have run.
  using Mark = std::vector<std::shared_ptr<const device::EventPoint>>;

  // To be called for each command. Returns whether a mark is due. Where several threads call it at the same time some
  // commands may not be counted: a bound need not be exact, and each launch comes here.
  bool count() noexcept {
    const std::uint32_t counted = counted_.load(std::memory_order_relaxed) + 1;
    counted_.store(counted, std::memory_order_relaxed);
    return counted % stride == 0;
  }
  // Without memory for it there is one mark less.
  void add(Mark mark) noexcept;
  bool full() const noexcept { return marks_.load(std::memory_order_relaxed) >= most; }
  // Waits until it is not full. Must be called without locks, and not by callbacks.
  void wait_for_room();

 private:
  std::atomic<std::uint32_t> counted_{0}, marks_{0};
  base::Mutex mutex_;
  std::deque<std::shared_ptr<const Mark>> open_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::sched
