// What is said of calls that fail. For all of CUDA's libraries of a process together.
#pragma once

#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {

// Programs that lack memory often say no more than that, and the system has memory: one line in a process says what was
// wanted, and that the limit of the process is in the way.
bool is_first_for_limit(cudaError_t code, const char* message);

// Says it the first time, the 10th, the 100th and so on. The other times are for those that have the log speak.
void say_failure(const char* function, cudaError_t code, const char* message);

}  // namespace heddle::cuda_api
