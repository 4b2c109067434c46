// A device that does nothing, at once: what remains of a launch is what the host pays for it.
#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"

namespace heddle::bench {

std::unique_ptr<device::Device> make_noop_device(const std::string& id = "noop");

}  // namespace heddle::bench
