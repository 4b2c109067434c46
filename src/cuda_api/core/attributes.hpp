// The attributes of a device for cudaDeviceGetAttribute, by the numbers of cudaDeviceAttr.
#pragma once

#include <optional>
#include <string>

#include "cuda_api/core/context.hpp"
#include "model/occupancy.hpp"

namespace heddle::cuda_api {

// The driver's version: CUDA 13.4. A program of a newer CUDA than its driver's compiles PTX to machine code itself;
// programs of an older CUDA run. cuGetProcAddress finds no functions that came after 13.0.
constexpr int driver_version = 13040;

// For a GPU its driver's values, except for features that programs cannot have through Heddle (managed memory,
// clusters, memory shared between processes). The CPU device reports itself as a GPU of compute capability 8.0 whose
// SMs are its workers; values that matter are true. Simulated GPUs have their machine's. Programs of tenants see the
// SMs of their quota. Nothing for numbers that are no attribute.
std::optional<int> attribute(const Context& context, int number);

std::string device_name(const Context& context);
// "0000:65:00.0".
std::string pci_id(const Context& context);
// What the device's SMs have.
model::SmLimits sm_limits(const Context& context);

}  // namespace heddle::cuda_api
