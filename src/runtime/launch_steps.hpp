// The steps that a launch takes under the core's lock, whether it is submitted when it is made or later.
#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>
#include <span>

#include "device/footprint.hpp"
#include "runtime/core.hpp"
#include "runtime/kernel_state.hpp"
#include "sched/early_start.hpp"
#include "sched/memory_manager.hpp"

namespace heddle::runtime {

using Accesses = boost::container::small_vector<graph::Access, 8>;

// Need the core's lock.

// Whether the launch needs nothing before it is submitted: its arrays have copies on its place whose bytes are current.
bool is_resident(Core& core, const sched::BoundLaunch& launch);
// For a launch that is_resident(): puts the arrays' addresses into its arguments, and returns what it does to memory.
// Arrays come first, in their order.
Accesses use_resident(Core& core, sched::BoundLaunch& launch);
// For others. Waits until the launch's arrays have copies on its place and no call is being put together that uses
// them. Gives the lock back while it waits or allocates. Throws out_of_memory.
void make_arrays_ready(Core& core, const sched::BoundLaunch& launch, base::Lock& lock,
                       sched::MemoryManager::Pressure& pressure);
// Has the arrays' bytes copied to the launch's place, where they have copies; what the launch does to memory there.
// Arrays come first, in their order.
Accesses acquire(Core& core, const sched::BoundLaunch& launch, const sched::EarlyStart& early);
// Counts the launch in its kernel's history.
sched::Submission submission_of(const sched::BoundLaunch& launch, const device::Partition* partition);
// What the launch leaves behind it once it is submitted. If it was refused, what was there before still counts.
void settle_arrays(Core& core, const sched::BoundLaunch& launch);
// What it may touch, for devices that verify that (runtime/footprint.hpp).
std::shared_ptr<const device::Footprint> footprint_of(Core& core, const sched::BoundLaunch& launch,
                                                      const KernelState& kernel);

}  // namespace heddle::runtime
