// State that the parts of one interpreter device share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "device/interp/interp.hpp"
#include "device/machine/machine.hpp"

namespace heddle::device::interp {

// A fair lock (ticket lock): launches of several queues take turns in the order of their requests. So kernels see each
// other's writes at once, and no two accesses race.
class TurnLock {
 public:
  void lock();
  void unlock();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0, serving_ = 0;
};

inline machine::Options machine_options(const InterpOptions& options) {
  return {options.poison, options.poison_byte, options.stack_bytes, options.heap_bytes,
          options.print,  options.step,        "the interpreter"};
}

struct DeviceState {
  explicit DeviceState(InterpOptions chosen) : options(std::move(chosen)), machine(machine_options(options), clock()) {}

  const InterpOptions options;
  const base::Clock& clock() const { return options.watcher->clock(); }
  TurnLock turn;
  machine::Machine machine;  // guarded by `turn`, except its address map
  // The running launches, by grid id, each with the memory epoch in which all its threads were found to repeat their
  // states, or not_repeating. Guarded by `turn`.
  static constexpr std::uint64_t not_repeating = ~std::uint64_t{0};
  std::map<std::uint64_t, std::uint64_t> repeating_since_epoch;
  std::atomic<std::uint64_t> next_grid_id{1};
};

}  // namespace heddle::device::interp
