// The ends of copies and fills with CUDA's rules: memory that is found by its address, directions that are checked, and
// the difference between pinned memory and other.
#pragma once

#include <cstddef>

#include "cuda_api/abi/runtime.hpp"
#include "cuda_api/core/memory_table.hpp"

namespace heddle::cuda_api {

// One end of a copy.
struct End {
  MemorySpan span;
  bool known = false;  // allocated or registered through CUDA
  bool on_device = false;
};

// The memory at an address. `size` bytes must be within one allocation if it is known.
End find_end(const MemoryTable& memory, const void* address, std::size_t size);

// Throws cudaErrorInvalidMemcpyDirection, cudaErrorInvalidValue if the ends do not fit `kind`.
void check_direction(const End& to, const End& from, cudaMemcpyKind kind);

// Whether the call may return before the copy has run, as CUDA does it: not for memory of the host that it does not
// know, which the program may change or free right after.
bool may_be_asynchronous(const End& to, const End& from);

}  // namespace heddle::cuda_api
