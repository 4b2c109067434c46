// The end of what a context holds.
#pragma once

#include "cuda_api/core/context.hpp"

namespace heddle::cuda_api {

// cudaDeviceReset: waits for running work, and then frees everything: captures, streams, memory, loaded code, and the
// error that has ended the context.
void reset_context(Context& context);

// Waits for what the context runs, before what that uses goes. A failure ends with the context.
void finish(Context& context);

}  // namespace heddle::cuda_api
