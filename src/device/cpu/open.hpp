// The CPU device for programs that may not need it: the device, with LLVM, hwloc and its other dependencies, is a
// library of its own (libheddle_cpu.so, src/device/cpu/entry.cpp), which is opened when the device is first made.
#pragma once

#include <memory>

#include "device/cpu/options.hpp"
#include "device/device.hpp"

namespace heddle::device::cpu {

// make_cpu_device() (cpu.hpp) of that library, which stays open until the process ends. Any thread. Throws not_found
// when it is not there, unsupported when it is of another version of Heddle or cannot be opened, each with a sentence.
std::unique_ptr<Device> open_cpu_device(const CpuOptions& options = {});

}  // namespace heddle::device::cpu
