// The one function of libheddle_cpu.so. Its name holds the version: a caller that finds it has the library's types,
// which are plain values and abstract classes. Exceptions pass (heddle::Error, found by its name); both sides have a
// copy of their own of the code in base/ and ptx/, which has no state that both would have to share.
#pragma once

#include <memory>

#include "device/cpu/options.hpp"
#include "device/device.hpp"

namespace heddle::device::cpu {

constexpr const char* library_name = "libheddle_cpu.so";
constexpr const char* entry_name = "heddle_cpu_device_" HEDDLE_VERSION;
using Entry = std::unique_ptr<Device> (*)(const CpuOptions& options);

}  // namespace heddle::device::cpu
