#include "device/cpu/entry.hpp"

#include "device/cpu/cpu.hpp"

namespace heddle::device::cpu {

// A function of C++, so that exceptions and the smart pointer may pass; the name is the symbol's.
__attribute__((visibility("default"))) std::unique_ptr<Device> entry(const CpuOptions& options) asm(
    "heddle_cpu_device_" HEDDLE_VERSION);

std::unique_ptr<Device> entry(const CpuOptions& options) { return make_cpu_device(options); }

}  // namespace heddle::device::cpu
