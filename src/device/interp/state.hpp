// State that the launches of one interpreter share.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <utility>

#include "device/emulated/state.hpp"
#include "device/interp/interp.hpp"

namespace heddle::device::interp {

struct InterpState {
  InterpState(emulated::DeviceState& its_device, InterpOptions chosen)
      : device(its_device), options(std::move(chosen)) {}

  emulated::DeviceState& device;
  const InterpOptions options;
  const base::Clock& clock() const { return options.watcher->clock(); }
  // The running launches, by grid id, each with the memory epoch in which all its threads were found to repeat their
  // states, or not_repeating. Guarded by the device's `turn`.
  static constexpr std::uint64_t not_repeating = ~std::uint64_t{0};
  std::map<std::uint64_t, std::uint64_t> repeating_since_epoch;
  std::atomic<std::uint64_t> next_grid_id{1};
};

}  // namespace heddle::device::interp
