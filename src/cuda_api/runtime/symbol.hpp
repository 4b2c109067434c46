// __device__ and __constant__ variables.
#pragma once

#include "cuda_api/core/context.hpp"

namespace heddle::cuda_api {

// The variable's address on the device; copies find it there from then on. Throws cudaErrorInvalidSymbol.
std::uint64_t locate(Context& context, const void* symbol, std::size_t* size = nullptr);

}  // namespace heddle::cuda_api
