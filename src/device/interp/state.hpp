// What the parts of one interpreter device share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "device/interp/address_map.hpp"
#include "device/interp/interp.hpp"

namespace heddle::device::interp {

// Launches of several queues take turns, in the order in which they ask: kernels then see each other's writes at once
// and no access races with another.
class TurnLock {
 public:
  void lock();
  void unlock();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0, serving_ = 0;
};

struct DeviceState {
  explicit DeviceState(InterpOptions chosen) : options(std::move(chosen)) {}
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  const InterpOptions options;
  const base::Clock& clock() const { return options.watcher->clock(); }
  AddressMap memory;
  TurnLock turn;
  // Changes of memory that other threads can see, of all launches. Guarded by `turn`.
  std::uint64_t memory_epoch = 0;
  std::uint64_t heap_used = 0;  // guarded by `turn`
  // The launches under way, by grid id, and the memory epoch in which all their threads were seen to repeat themselves.
  // Guarded by `turn`.
  static constexpr std::uint64_t not_stuck = ~std::uint64_t{0};
  std::map<std::uint64_t, std::uint64_t> stuck;
  std::atomic<std::uint64_t> next_grid_id{1};
};

}  // namespace heddle::device::interp
