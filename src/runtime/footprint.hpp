// What a launch may access of its runtime's arrays, if every access is verified: the bytes that were passed to it, with
// the access mode from which its dependences were inferred.
#pragma once

#include <memory>
#include <span>

#include "device/footprint.hpp"
#include "memory/array.hpp"
#include "sched/bound_launch.hpp"

namespace heddle::runtime {

class KernelState;

// The launch's arrays must have copies on its place. `pinned`: arrays whose address was taken; every launch may access
// them. Returns null if an argument is a pointer to memory that belongs to no array, as it may point anywhere. Needs
// the core's lock.
std::shared_ptr<const device::Footprint> footprint_of(const sched::BoundLaunch& launch, const KernelState& kernel,
                                                      std::span<memory::Array* const> pinned);

}  // namespace heddle::runtime
