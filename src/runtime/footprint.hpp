// What a launch may touch of its runtime's arrays, where every access is verified: what was given to it, and did there
// what its place in the order was found from.
#pragma once

#include <memory>
#include <span>

#include "device/footprint.hpp"
#include "memory/array.hpp"
#include "sched/bound_launch.hpp"

namespace heddle::runtime {

class KernelState;

// The arrays are acquired on the launch's place. `pinned`: arrays whose address was taken, which any launch may use.
// Null where an argument is a pointer to memory that belongs to no array: it may lead anywhere. Needs the core's lock.
std::shared_ptr<const device::Footprint> footprint_of(const sched::BoundLaunch& launch, const KernelState& kernel,
                                                      std::span<memory::Array* const> pinned);

}  // namespace heddle::runtime
