// How blocks of a kernel fill a multiprocessor, and the block size that fills it best.
#include <algorithm>

#include "cuda_api/core/attributes.hpp"
#include "cuda_api/driver/function.hpp"

using namespace heddle::cuda_api;

namespace {

void check_flags(unsigned flags) {
  require((flags & ~unsigned{CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE}) == 0, cudaErrorInvalidValue,
          "flags of an occupancy that are none");
}

// At once on one multiprocessor; 0 when a block is against the kernel's or the device's limits.
int resident_blocks(KernelEntry& entry, Context& context, int threads, std::size_t shared) {
  require(threads > 0, cudaErrorInvalidValue, "blocks of no threads");
  const heddle::DeviceInfo& info = context.info();
  const heddle::LoadedKernel& loaded = entry.on(context);
  if (static_cast<unsigned>(threads) > info.max_threads_per_block) return 0;
  if (shared + loaded.shared_bytes() > info.max_shared_per_block) return 0;
  const auto told = loaded.whole_occupancy({static_cast<std::uint32_t>(threads)}, static_cast<std::uint32_t>(shared));
  // A worker of a device that is no GPU runs a block at a time.
  return told ? static_cast<int>(told->blocks) : 1;
}

// Tries block sizes in steps of a warp, from the largest down, as more threads of fewer blocks do as well.
void best_block(int* least_grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of, std::size_t shared,
                int limit, Context& current) {
  require(least_grid && block, cudaErrorInvalidValue, "no place for the answer");
  KernelEntry& entry = entry_of(function);
  Context& context = function_context(entry, current);
  const int warp = static_cast<int>(context.info().warp_size);
  int most = static_cast<int>(context.info().max_threads_per_block), best = 0, best_blocks = 0;
  if (limit > 0) most = std::min(most, limit);
  for (int threads = (most + warp - 1) / warp * warp; threads > 0; threads -= warp) {
    const int tried = std::min(threads, most);
    const int blocks = resident_blocks(entry, context, tried, shared_of ? shared_of(tried) : shared);
    if (tried * blocks <= best * best_blocks) continue;
    best = tried;
    best_blocks = blocks;
  }
  require(best > 0, cudaErrorInvalidValue, "no block of the kernel fits");
  *block = best;
  *least_grid = best_blocks * heddle::cuda_api::attribute(context, 16).value_or(1);
}

}  // namespace

HEDDLE_DRIVER_API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                                       std::size_t shared, unsigned flags) {
  HEDDLE_ARGUMENTS(blocks, function, threads, shared, flags);
  return in_context(__func__, [&](Context& context) {
    require(blocks, cudaErrorInvalidValue, "no place for the answer");
    check_flags(flags);
    KernelEntry& entry = entry_of(function);
    *blocks = resident_blocks(entry, function_context(entry, context), threads, shared);
  });
}
HEDDLE_DRIVER_API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                              std::size_t shared) {
  HEDDLE_ARGUMENTS(blocks, function, threads, shared);
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}
HEDDLE_DRIVER_API cuOccupancyMaxPotentialBlockSizeWithFlags(int* least_grid, int* block, CUfunction function,
                                                            CUoccupancyB2DSize shared_of, std::size_t shared, int limit,
                                                            unsigned flags) {
  HEDDLE_ARGUMENTS(least_grid, block, function, shared_of, shared, limit, flags);
  return in_context(__func__, [&](Context& context) {
    check_flags(flags);
    best_block(least_grid, block, function, shared_of, shared, limit, context);
  });
}
HEDDLE_DRIVER_API cuOccupancyMaxPotentialBlockSize(int* least_grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, std::size_t shared, int limit) {
  HEDDLE_ARGUMENTS(least_grid, block, function, shared_of, shared, limit);
  return cuOccupancyMaxPotentialBlockSizeWithFlags(least_grid, block, function, shared_of, shared, limit, 0);
}

// What the blocks have between them, less what each has of its own.
HEDDLE_DRIVER_API cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction function, int blocks,
                                                          int threads) {
  HEDDLE_ARGUMENTS(bytes, function, blocks, threads);
  return in_context(__func__, [&](Context& context) {
    require(bytes && blocks > 0 && threads > 0, cudaErrorInvalidValue, "no place for the answer, or no blocks");
    KernelEntry& entry = entry_of(function);
    const std::uint64_t each = context.info().max_shared_per_block / static_cast<unsigned>(blocks);
    const std::uint64_t own = entry.on(function_context(entry, context)).shared_bytes();
    *bytes = each > own ? each - own : 0;
  });
}
