// Copies and fills as CUDA means them: directions that are checked, memory that is found by its address, and the
// difference between pinned memory and other.
#pragma once

#include "cuda_api/core/context.hpp"
#include "cuda_api/core/memory_table.hpp"

namespace heddle::cuda_api {

// One end of a copy.
struct End {
  MemorySpan span;
  bool known = false;  // allocated or registered through CUDA
  bool on_device = false;
};

// What lies at an address. `size` bytes must be within one allocation if it is known.
End find_end(Process& process, const void* address, std::size_t size);

// Throws cudaErrorInvalidMemcpyDirection, cudaErrorInvalidValue when the ends are not what `kind` says.
void check_direction(const End& to, const End& from, cudaMemcpyKind kind);

// Whether the call may come back before the copy has run, as CUDA does it: not for memory of the host that it does not
// know, which the program may change or free right after.
bool may_be_asynchronous(const End& to, const End& from);

// Puts a copy into a stream; with `wait` it comes back when it has run.
void copy(Context& context, CUstream_st& stream, void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
          bool wait);

struct BoxEnd {
  void* address = nullptr;
  std::size_t row = 0, plane = 0;  // bytes
};
void copy_box(Context& context, CUstream_st& stream, const BoxEnd& to, const BoxEnd& from, const BoxSize& size,
              cudaMemcpyKind kind, bool wait);

void fill(Context& context, CUstream_st& stream, void* to, unsigned value, unsigned value_bytes, std::size_t size,
          bool wait);
void fill_box(Context& context, CUstream_st& stream, const BoxEnd& to, const BoxSize& size, unsigned value,
              unsigned value_bytes, bool wait);

}  // namespace heddle::cuda_api
