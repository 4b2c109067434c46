// The form of a kernel on one device that may start before its arrays have arrived.
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
  std::vector<std::uint32_t> parameters;  // whose arrays may still be arriving, in the order of their progress flags
  std::uint32_t flags_offset = 0, parameter_bytes = 0;
  std::shared_ptr<EarlyGain> gain = std::make_shared<EarlyGain>();
};

// `kernel`: index in the module. Null if the kernel has no such form or the device refuses it; the log states the
// reason. Takes as long as loading the kernel. Must be called without the core's lock.
std::unique_ptr<EarlyForm> make_early_form(device::Device& device, const ptx::Module& module, std::uint32_t kernel);

}  // namespace heddle::sched
