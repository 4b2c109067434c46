// Ordinary host memory, for devices that copy from any memory at the same rate.
#pragma once

#include <memory>

#include "device/memory.hpp"

namespace heddle::device {

// `bytes` bytes aligned to 4096 for large and 64 for small ones; span().device is null. Throws out_of_memory.
std::unique_ptr<Memory> make_host_memory(std::size_t bytes);

}  // namespace heddle::device
