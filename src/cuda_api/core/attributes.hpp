// What cudaDeviceGetAttribute says of a device, by the numbers of cudaDeviceAttr.
#pragma once

#include <optional>
#include <string>

#include "cuda_api/core/context.hpp"
#include "model/occupancy.hpp"

namespace heddle::cuda_api {

// Of a GPU what its driver says, but for what programs cannot have through Heddle (managed memory, clusters, memory
// shared between processes). The CPU device gives itself out for a GPU of compute capability 8.0 whose SMs are its
// workers; where it matters what is said is true. Nothing for numbers that are no attribute.
std::optional<int> attribute(const Context& context, int number);

std::string device_name(const Context& context);
// "0000:65:00.0".
std::string pci_id(const Context& context);
// What the device's SMs have.
model::SmLimits sm_limits(const Context& context);

}  // namespace heddle::cuda_api
