// The memory pools of devices, and those that programs make.
#pragma once

#include "cuda_api/core/context.hpp"
#include "cuda_api/core/pool.hpp"

namespace heddle::cuda_api {

// The device's own pool.
CUmemPoolHandle_st& default_pool(Context& context);
// The pool that cudaMallocAsync uses.
CUmemPoolHandle_st& current_pool(Context& context);
void set_current_pool(Context& context, CUmemPoolHandle_st& pool);
// Whether it was made and not destroyed. `pool` may be any number: it is not read.
bool is_pool(const CUmemPoolHandle_st* pool);
CUmemPoolHandle_st& make_pool(Context& context, std::uint64_t most);
// Throws cudaErrorInvalidValue for the device's own. Memory that was allocated from it stays.
void destroy_pool(CUmemPoolHandle_st& pool);

}  // namespace heddle::cuda_api
