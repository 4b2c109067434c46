// Measures the bandwidth between the memories of devices and the host.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace heddle::links {

// Bytes per second of a large copy from one memory to another. Memories are numbered: devices by their index in the
// list, the host's after them. At least one of the two is not the host's. Throws out_of_memory.
double measure_link(std::span<device::Device* const> devices, std::size_t from, std::size_t to);

// Bytes per second of a copy between any two memories, by [from][to]. If both are the host's memory (a device may use
// it as its own), this is the rate at which one of the devices copies within it. Throws out_of_memory.
std::vector<std::vector<double>> measure_all_links(std::span<device::Device* const> devices);

}  // namespace heddle::links
