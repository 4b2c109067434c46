// Memory of an emulated device: host memory that the machine's address map knows.
#pragma once

#include <cstddef>
#include <memory>

#include "device/emulated/state.hpp"
#include "device/memory.hpp"

namespace heddle::device::emulated {

// Throws out_of_memory.
std::unique_ptr<Memory> allocate(Device& device, std::shared_ptr<DeviceState> state, std::size_t bytes);
// Host memory that kernels may use, for as long as the result lives. `owner` may be null. Throws invalid_argument if
// part of it is known already.
std::unique_ptr<Memory> adopt(std::shared_ptr<DeviceState> state, void* data, std::size_t bytes,
                              std::unique_ptr<Memory> owner);

}  // namespace heddle::device::emulated
