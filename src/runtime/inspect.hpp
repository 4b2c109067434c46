// What the analyses found of a kernel, and what a device is, in public terms.
#pragma once

#include "device/device.hpp"
#include "heddle/devices.hpp"
#include "heddle/kernel.hpp"
#include "ptx/analysis/inspect.hpp"

namespace heddle::runtime {

KernelInfo public_info(const ptx::analysis::InspectedKernel& kernel);

DeviceInfo public_info(const device::DeviceInfo& info);

}  // namespace heddle::runtime
