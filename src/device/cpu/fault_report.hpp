// Error messages for faults in kernels. Slow (they may read debug information): for the worker's own stack only.
#pragma once

#include <chrono>
#include <string>

#include "device/cpu/block.hpp"
#include "device/cpu/fault.hpp"
#include "device/cpu/launch_job.hpp"
#include "heddle/error.hpp"

namespace heddle::device::cpu {

class Allocator;

Error describe_fault(const Fault& fault, const Warp& warp, const LaunchJob& job, const Allocator& allocator);
// Every warp of the block waits for one that cannot arrive.
Error barrier_deadlock(const Block& block);
// There has been no progress for `timeout`; `block` is the oldest of the launch's `resident` blocks on this worker.
Error spin_deadlock(const Block& block, std::size_t resident, std::chrono::milliseconds timeout);
// There is no memory for the stacks or the shared memory of a block.
Error out_of_stack(const LaunchJob& job);

}  // namespace heddle::device::cpu
