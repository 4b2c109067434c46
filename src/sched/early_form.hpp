// A kernel's form that may start before its arrays have arrived, on one device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "ptx/ir.hpp"
#include "sched/early_gain.hpp"

namespace heddle::sched {

// See ptx/rewrite/await_arrival.hpp.
struct EarlyForm {
  std::shared_ptr<device::Module> module;
  device::Function* function = nullptr;
  std::vector<std::uint32_t> parameters;  // that may still be arriving, in the order of their progress flags
  std::uint32_t flags_offset = 0, parameter_bytes = 0;
  std::shared_ptr<EarlyGain> gain = std::make_shared<EarlyGain>();
};

// Null where the kernel (by index in the module) has none, or the device does not take it; the log says why. Takes as
// long as loading the kernel does. Without the core's lock.
std::unique_ptr<EarlyForm> make_early_form(device::Device& device, const ptx::Module& module, std::uint32_t kernel);

}  // namespace heddle::sched
