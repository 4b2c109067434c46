// Converts results of the analyses and properties of devices to the types of the public interface.
#pragma once

#include "device/device.hpp"
#include "heddle/devices.hpp"
#include "heddle/kernel.hpp"
#include "ptx/analysis/inspect.hpp"

namespace heddle::runtime {

KernelInfo public_info(const ptx::analysis::InspectedKernel& kernel);

DeviceInfo public_info(const device::DeviceInfo& info);

}  // namespace heddle::runtime
