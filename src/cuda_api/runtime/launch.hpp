// Launches, in each form that programs use.
#pragma once

#include "cuda_api/core/graph_command.hpp"
#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {

struct LaunchCall {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  bool per_thread = false;  // a null stream is the thread's own
};

// `kernel` null: the program launches a kernel that it has not registered. `arguments`: a pointer to each value.
cudaError_t launch(const char* function, KernelEntry* kernel, const LaunchCall& call, void** arguments) noexcept;

// The same for a handle of a kernel in the program: its stub, or a handle of cudaGetKernel.
cudaError_t launch_stub(const char* function, const void* stub, const LaunchCall& call, void** arguments) noexcept;

// What a kernel takes of an SM, and the most threads that its blocks can have.
struct KernelNeeds {
  unsigned registers = 0, most_threads = 0;
  std::uint64_t local_bytes = 0;
};
KernelNeeds needs_of(Context& context, const heddle::LoadedKernel& loaded);
// How many blocks of so many threads, with so much dynamic shared memory, an SM holds; 0 when there can be no such
// block. Throws cudaErrorInvalidValue for blocks of no threads.
unsigned resident_blocks(Context& context, const heddle::LoadedKernel& loaded, int threads, std::size_t shared);
// The dynamic shared memory of each where an SM holds so many blocks. Throws cudaErrorInvalidValue where it cannot.
std::size_t shared_for_blocks(Context& context, const heddle::LoadedKernel& loaded, int blocks, int threads);
// How much dynamic shared memory launches may give it: the value that was set, or what static memory leaves of 48 KiB.
std::uint32_t dynamic_shared_limit(const KernelEntry& entry, const heddle::LoadedKernel& loaded);
// Throws what a launch of this shape would throw, independent of the device's load.
void check_shape(const Context& context, const KernelEntry& kernel, const heddle::LoadedKernel& loaded,
                 const LaunchCall& call);
// For cooperative launches: all blocks run at the same time, so a tenant's must fit the processors of its quota. Throws
// cudaErrorCooperativeLaunchTooLarge.
void check_cooperative(Context& context, const KernelEntry& kernel, const heddle::LoadedKernel& loaded,
                       const LaunchCall& call);
// The launch as a node of a graph.
KernelCommand kernel_command(Context& context, KernelEntry& kernel, const LaunchCall& call,
                             std::vector<std::byte> arguments);

// The values in the kernel's packed buffer.
std::vector<std::byte> pack_arguments(const LoadedKernel& kernel, void** arguments);

}  // namespace heddle::cuda_api
