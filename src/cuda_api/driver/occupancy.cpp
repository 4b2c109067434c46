// How blocks of a kernel fill a multiprocessor, and the block size that fills it best.
#include <algorithm>

#include "cuda_api/core/attributes.hpp"
#include "cuda_api/driver/function.hpp"
#include "cuda_api/runtime/launch.hpp"

using namespace heddle::cuda_api;

namespace {

void check_flags(unsigned flags) {
  require((flags & ~unsigned{CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE}) == 0, cudaErrorInvalidValue,
          "flags of an occupancy that are none");
}

// Tries block sizes in steps of a warp, from the largest down, as more threads of fewer blocks do as well.
void best_block(int* least_grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of, std::size_t shared,
                int limit, Context& current) {
  require(least_grid && block, cudaErrorInvalidValue, "no place for the answer");
  KernelEntry& entry = entry_of(function);
  Context& context = function_context(entry, current);
  const heddle::LoadedKernel& loaded = entry.on(context);
  const int warp = static_cast<int>(context.info().warp_size);
  int most = static_cast<int>(needs_of(context, loaded).most_threads), best = 0, best_blocks = 0;
  if (limit > 0) most = std::min(most, limit);
  for (int threads = (most + warp - 1) / warp * warp; threads > 0; threads -= warp) {
    const int tried = std::min(threads, most);
    const std::size_t dynamic = shared_of ? shared_of(tried) : shared;
    const int blocks = static_cast<int>(resident_blocks(context, loaded, tried, dynamic));
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
    Context& own = function_context(entry, context);
    *blocks = static_cast<int>(resident_blocks(own, entry.on(own), threads, shared));
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

HEDDLE_DRIVER_API cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction function, int blocks,
                                                          int threads) {
  HEDDLE_ARGUMENTS(bytes, function, blocks, threads);
  return in_context(__func__, [&](Context& context) {
    require(bytes, cudaErrorInvalidValue, "no place for the answer");
    KernelEntry& entry = entry_of(function);
    Context& own = function_context(entry, context);
    *bytes = shared_for_blocks(own, entry.on(own), blocks, threads);
  });
}
