// A kernel's form that begins before its arrays are there, on one device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "ptx/ir.hpp"
#include "runtime/early_gain.hpp"

namespace heddle::runtime {

// See ptx/rewrite/await_arrival.hpp.
struct AwaitingForm {
  std::shared_ptr<device::Module> module;
  device::Function* function = nullptr;
  std::vector<std::uint32_t> parameters;  // that may still be arriving, in the order of their words
  std::uint32_t words_offset = 0, parameter_bytes = 0;
  std::shared_ptr<EarlyGain> gain = std::make_shared<EarlyGain>();
};

// Null where the kernel (by index in the module) has none, or the device does not take it; the log says why.
std::unique_ptr<AwaitingForm> make_awaiting_form(device::Device& device, const ptx::Module& module,
                                                 std::uint32_t kernel);

}  // namespace heddle::runtime
