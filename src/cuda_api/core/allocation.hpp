// Memory that the program allocates: it is in the memory table from then on.
#pragma once

#include "cuda_api/core/context.hpp"
#include "cuda_api/core/memory_table.hpp"

namespace heddle::cuda_api {

// Memory of the device; null for no bytes. If there is no other memory, it waits for memory that was freed in the order
// of streams.
void* allocate(Context& context, std::size_t size, BlockKind kind);
// In the order of the stream.
void* allocate_behind(Context& context, CUstream_st& stream, std::size_t size, CUmemPoolHandle_st& pool);
// Memory of the host that kernels can access: if the device's memory is the host's, that is the device's own memory.
void* allocate_host(Context& context, std::size_t size, unsigned flags);

// Frees memory when the work that uses it has run, as cudaFree does: it waits. Throws cudaErrorInvalidValue if there is
// no such memory. `what`: the function that the program called.
void release(void* p, bool of_host, const char* what);
// Frees it when the work now in the stream has run; does not wait.
void release_behind(CUstream_st& stream, void* p);

}  // namespace heddle::cuda_api
