// The CPU as a device: what a program needs to make one.
#pragma once

#include <memory>

#include "device/cpu/options.hpp"
#include "device/device.hpp"

namespace heddle::device::cpu {

// Starts the worker threads. Queues, modules, memory and events made by the device must be destroyed before it.
// Throws invalid_argument for options that make no sense.
std::unique_ptr<Device> make_cpu_device(const CpuOptions& options = {});

}  // namespace heddle::device::cpu
