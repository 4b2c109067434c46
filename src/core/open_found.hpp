// Opens whatever devices a machine has.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace heddle::core {

// A device that can be opened. `by_default`: opened when no list is given.
struct Candidate {
  std::string id;
  bool by_default = false;
  std::function<std::unique_ptr<device::Device>()> open;
};

// All that are meant for use, in this order; `without_cpu`: the CPU only where there is nothing else. One that cannot
// be opened, as a GPU that is full or a CPU device whose library is not installed, is left out with a warning of its
// own. Throws what the last one throws if no device opens, and at once what is wrong with the caller's options
// (invalid_argument of the CPU device).
std::vector<std::unique_ptr<device::Device>> open_found(const std::vector<Candidate>& all, bool without_cpu);

}  // namespace heddle::core
