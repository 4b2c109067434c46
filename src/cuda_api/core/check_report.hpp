// The report of `heddle run --check` about a kernel's fault, and the exit code that follows from it.
#pragma once

namespace heddle::cuda_api {

// Whether the program runs under --check.
bool checks() noexcept;

// With --check, prints the fault, once in the process; the program continues with CUDA's error. Any thread.
void report_finding(const char* message) noexcept;

}  // namespace heddle::cuda_api
