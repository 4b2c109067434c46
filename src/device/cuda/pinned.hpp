// Pinned host memory as devices give it out, and memory of the program's own that is pinned.
#pragma once

#include <cstddef>
#include <memory>

#include "device/cuda/state.hpp"
#include "device/memory.hpp"

namespace heddle::device::cuda {

// Pinned if there is memory to pin, else ordinary: then copies are slower, which one warning reports.
std::unique_ptr<Memory> make_pinned_memory(std::shared_ptr<DeviceState> state, std::size_t bytes);

// Pins memory of the program's own while the result lives. Throws invalid_argument when part of it is pinned already,
// out_of_memory.
std::unique_ptr<Memory> register_host_memory(std::shared_ptr<DeviceState> state, void* data, std::size_t bytes);

}  // namespace heddle::device::cuda
