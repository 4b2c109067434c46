// Copies and fills, put into streams or captured.
#pragma once

#include <cstddef>

#include "cuda_api/core/context.hpp"

namespace heddle::cuda_api {

// Puts a copy into a stream; with `wait` it returns when the copy has run.
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
