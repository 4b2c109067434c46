// The steps of a launch under the core's lock. They are the same for launches that are submitted at once and later.
#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>
#include <span>

#include "core/core.hpp"
#include "device/footprint.hpp"
#include "runtime/kernel_state.hpp"
#include "sched/early_start.hpp"
#include "sched/memory_manager.hpp"

namespace heddle::runtime {

using Accesses = boost::container::small_vector<graph::Access, 8>;

// Need the core's lock.

// For a launch that can be submitted at once, as its arrays have copies on its place whose bytes are current: puts the
// arrays' addresses into its arguments, and returns true with its accesses to memory. Arrays come first, in their
// order. False: some array is not there; those before it count as used once more.
bool use_resident(core::Core& core, sched::BoundLaunch& launch, Accesses& accesses);
// For other launches. Allocates copies of the launch's arrays on its place, and waits until no open call uses them.
// Releases the lock while it waits or allocates. Throws out_of_memory.
void make_arrays_ready(core::Core& core, const sched::BoundLaunch& launch, base::Lock& lock,
                       sched::MemoryManager::Pressure& pressure);
// Submits the copies of the arrays' bytes to the launch's place, where the arrays have memory. Returns the launch's
// accesses to memory there. Arrays come first, in their order.
Accesses acquire(core::Core& core, const sched::BoundLaunch& launch, const sched::EarlyStart& early);
// Counts a launch in its kernel's history. Returns whether it is to be timed for it.
bool count_launch(KernelHistory& history, const device::LaunchConfig& config);
// How a launch is submitted that is timed for the history.
sched::Submission timed_submission(const std::shared_ptr<KernelHistory>& history, std::uint64_t blocks);
// How the launch is submitted. Counts the launch in its kernel's history.
sched::Submission submission_of(const sched::BoundLaunch& launch, const device::Partition* partition);
// To be called when the launch is submitted: records which bytes it overwrites, and submits the copies that the host is
// expected to read. Without this call, as when the device refuses the launch, the bytes that were current before still
// are.
void settle_arrays(core::Core& core, const sched::BoundLaunch& launch);
// What the launch may access, for devices that verify every access (runtime/footprint.hpp).
std::shared_ptr<const device::Footprint> footprint_of(core::Core& core, const sched::BoundLaunch& launch,
                                                      const KernelState& kernel);

}  // namespace heddle::runtime
