// The end of what a context holds.
#pragma once

#include "cuda_api/core/context.hpp"

namespace heddle::cuda_api {

// cudaDeviceReset: waits for what runs, and then all goes: captures, streams, memory, what was loaded, and the error
// that has ended the context.
void reset_context(Context& context);

}  // namespace heddle::cuda_api
