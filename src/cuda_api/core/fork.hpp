// A child of fork() has the memory of its process but none of the threads, so nothing of CUDA works in it. As with
// NVIDIA's driver, every call fails there, until the child starts another program.
#pragma once

namespace heddle::cuda_api {

// From now on: children run in_child() before fork() returns in them. Call once.
void watch_forks(void (*in_child)());
// In such a child: throws Failure, cudaErrorInitializationError. Any thread.
void require_not_forked();

}  // namespace heddle::cuda_api
