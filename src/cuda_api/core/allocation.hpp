// Memory that the program allocates: it is in the memory table from here on.
#pragma once

#include "cuda_api/core/context.hpp"
#include "cuda_api/core/memory_table.hpp"

namespace heddle::cuda_api {

// Memory of the device; null for no bytes. What was freed in the order of streams is waited for when there is no other.
void* allocate(Context& context, std::size_t size, BlockKind kind);
// In the order of the stream.
void* allocate_behind(Context& context, CUstream_st& stream, std::size_t size, CUmemPoolHandle_st& pool);
// Memory of the host that kernels reach: where the device's memory is the host's, that is what its own is.
void* allocate_host(Context& context, std::size_t size, unsigned flags);

// Gives memory back when what is in use has run, as cudaFree does: it waits. Throws cudaErrorInvalidValue for what is
// no such memory. `what`: the function that the program called.
void release(void* p, bool of_host, const char* what);
// When what is in the stream now has run; does not wait.
void release_behind(CUstream_st& stream, void* p);

}  // namespace heddle::cuda_api
