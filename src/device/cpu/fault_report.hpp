// Error messages for faults in kernels. Slow (they may read debug information): for the worker's own stack only.
#pragma once

#include <chrono>
#include <exception>
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
// The launch has run for its time limit. Complete when no block of it runs any more.
Error timeout_error(const LaunchJob& job, const TimeLimit& limit);
// "block (0, 0, 0): warps 0 to 7: waits at barrier 0 at k.cu:12".
std::string block_place(const Block& block);
// Of the block of a warp that was ended while it ran, at its `site`.
std::string running_place(const Warp& warp);
// There is no memory for the stacks or the shared memory of a block.
Error out_of_stack(const LaunchJob& job);
// There is no memory for what the checks of a launch, a copy or a fill record.
std::string no_memory_for_records();

// The error that `describe` makes. If it throws something instead, that: nothing on a worker would catch it.
template <class Describe>
std::exception_ptr error_from(Describe&& describe) noexcept {
  try {
    return std::make_exception_ptr(describe());
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace heddle::device::cpu
