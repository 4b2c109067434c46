// How fast memory of one device gets to another.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace heddle::links {

// Memories are numbered: devices by their place in a list, the host's comes after them.
// Bytes per second of a large copy from one memory to another. Both are not the host's. Throws out_of_memory.
double measure_link(std::span<device::Device* const> devices, std::size_t from, std::size_t to);

// Bytes per second of a copy between any two memories, by [from][to]. Where both are the host's, as those of devices
// may be, it is how fast one of the devices copies there. Throws out_of_memory.
std::vector<std::vector<double>> measure_all_links(std::span<device::Device* const> devices);

}  // namespace heddle::links
