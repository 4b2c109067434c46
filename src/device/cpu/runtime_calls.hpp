// The functions that generated code calls.
#pragma once

#include "device/cpu/abi.hpp"

namespace heddle::device::cpu {

// `soft`: the table of scalar functions for rare instructions; `processors`: workers of the device.
RuntimeTable make_runtime_table(void (*const* soft)(), unsigned processors);

}  // namespace heddle::device::cpu
