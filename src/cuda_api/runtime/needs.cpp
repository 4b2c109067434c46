// What kernels need of an SM, and how many of their blocks one holds.
#include <fmt/format.h>

#include <algorithm>

#include "base/kernel_name.hpp"
#include "cuda_api/core/attributes.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/runtime/call.hpp"
#include "cuda_api/runtime/launch.hpp"

using namespace heddle::cuda_api;

namespace heddle::cuda_api {

// A GPU's driver knows what its compiler took; elsewhere it is the estimate from the PTX.
KernelNeeds needs_of(Context& context, const heddle::LoadedKernel& loaded) {
  const heddle::KernelInfo& info = loaded.kernel().info();
  KernelNeeds needs;
  needs.registers = info.registers;
  needs.local_bytes = info.local_bytes;
  const Dim3 a_block{info.max_threads != 0 ? info.max_threads : context.info().warp_size};
  try {
    if (const std::optional<Occupancy> told = loaded.whole_occupancy(a_block)) {
      needs.registers = told->registers;
      needs.local_bytes = told->local_bytes;
    }
  } catch (const Error&) {  // blocks of another shape (.reqntid): the estimate stays
  }
  const model::SmLimits limits = sm_limits(context);
  needs.registers = std::clamp(needs.registers, 1u, limits.thread_registers);
  if (info.max_threads != 0) {
    needs.most_threads = std::min(limits.block_threads, info.max_threads);
    // A compiler that knows how large blocks are uses no more registers than such a block can have.
    while (needs.registers > 1 && model::most_threads(limits, needs.registers) < needs.most_threads) --needs.registers;
  } else {
    needs.most_threads = model::most_threads(limits, needs.registers);
  }
  return needs;
}

std::uint32_t dynamic_shared_limit(const KernelEntry& entry, const heddle::LoadedKernel& loaded) {
  const std::uint32_t set = entry.most_dynamic_shared.load(std::memory_order_relaxed);
  if (set != KernelEntry::default_shared) return set;
  return set - static_cast<std::uint32_t>(std::min<std::uint64_t>(set, loaded.shared_bytes()));
}

unsigned resident_blocks(Context& context, const heddle::LoadedKernel& loaded, int threads, std::size_t shared) {
  require(threads > 0, cudaErrorInvalidValue, "a block has at least one thread");
  if (context.capability() != 0) {
    try {
      const auto told = loaded.whole_occupancy({static_cast<unsigned>(threads)}, static_cast<std::uint32_t>(shared));
      if (told) return told->blocks;
    } catch (const heddle::Error& error) {
      if (error.code() == heddle::ErrorCode::invalid_argument) return 0;  // there can be no such block
      throw;
    }
  }
  const KernelNeeds needs = needs_of(context, loaded);
  if (static_cast<unsigned>(threads) > needs.most_threads) return 0;
  return model::resident_blocks(sm_limits(context), {.threads = static_cast<unsigned>(threads),
                                                     .registers = needs.registers,
                                                     .shared = loaded.shared_bytes() + shared});
}

std::size_t shared_for_blocks(Context& context, const heddle::LoadedKernel& loaded, int blocks, int threads) {
  require(blocks > 0 && threads > 0, cudaErrorInvalidValue, "no blocks, or blocks of no threads");
  const KernelNeeds needs = needs_of(context, loaded);
  const std::optional<std::uint64_t> most = model::dynamic_shared_for(
      sm_limits(context),
      {.threads = static_cast<unsigned>(threads), .registers = needs.registers, .shared = loaded.shared_bytes()},
      static_cast<unsigned>(blocks));
  require(most.has_value(), cudaErrorInvalidValue, "an SM does not hold so many of these blocks");
  return *most;
}

}  // namespace heddle::cuda_api

namespace {

cudaError_t ask_blocks(const char* function, int* blocks, const void* kernel, int block, std::size_t shared,
                       unsigned flags) {
  return with_context(function, [&](Context& context) {
    require(blocks && flags <= 1, cudaErrorInvalidValue, "no place for the number, or unknown flags");
    *blocks = static_cast<int>(resident_blocks(context, registry().kernel(kernel).on(context), block, shared));
  });
}

}  // namespace

namespace heddle::cuda_api {

void check_cooperative(Context& context, const KernelEntry& kernel, const heddle::LoadedKernel& loaded,
                       const LaunchCall& call) {
  if (!call.cooperative || sees_whole_device()) return;
  const unsigned own = context.device().own_processors();
  if (own == context.info().processors) return;
  const std::uint64_t threads = shape(call.block).count(), blocks = shape(call.grid).count();
  const std::uint64_t most =
      std::uint64_t{own} * resident_blocks(context, loaded, static_cast<int>(threads), call.shared);
  if (blocks > most)
    throw Failure(cudaErrorCooperativeLaunchTooLarge,
                  fmt::format("kernel '{}' is launched cooperatively with {} blocks; the {} processors of the tenant's "
                              "quota hold {} at the same time",
                              base::demangled(kernel.name()), blocks, own, most));
}

}  // namespace heddle::cuda_api

HEDDLE_CUDA_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block,
                                                                          std::size_t shared) {
  return ask_blocks(__func__, blocks, kernel, block, shared, 0);
}
HEDDLE_CUDA_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                                                   int block, std::size_t shared,
                                                                                   unsigned flags) {
  return ask_blocks(__func__, blocks, kernel, block, shared, flags);
}
HEDDLE_CUDA_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared, const void* kernel,
                                                                      int blocks, int block) {
  return with_context(__func__, [&](Context& context) {
    require(shared, cudaErrorInvalidValue, "no place for the size");
    *shared = shared_for_blocks(context, registry().kernel(kernel).on(context), blocks, block);
  });
}
