// The report of `heddle run --check` about faults and mistakes, and the exit code that follows from it.
#pragma once

#include "base/caller_place.hpp"
#include "cuda_api/abi/runtime.hpp"
#include "cuda_api/core/mistake.hpp"

namespace heddle::cuda_api {

// Whether the program runs under --check.
bool checks() noexcept;

// With --check=api, where the program makes the call that the thread is in; else nothing.
base::CallerPlace place_for_reports() noexcept;

// With --check=api, prints that a call of CUDA has failed, with the place of the program that made it. Any thread.
void report_failed_call(const char* function, cudaError_t code, const char* message) noexcept;

// With --check=leak, prints the memory that the program has allocated in a context (of a device's own: the device's
// number) and not freed. Any thread.
void report_leaks(int owner) noexcept;

// With --check, prints the fault, once in the process; the program continues with CUDA's error. Any thread.
void report_finding(const char* message) noexcept;

}  // namespace heddle::cuda_api
