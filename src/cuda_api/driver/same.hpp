// Functions of the driver API that the runtime API has too, with the same parameters.
#pragma once

#include "cuda_api/driver/call.hpp"

// `arguments`: those of the call, in parentheses.
#define HEDDLE_DRIVER_SAME(name, runtime_name, parameters, arguments)               \
  extern "C" cudaError_t runtime_name parameters;                                   \
  HEDDLE_DRIVER_API name parameters {                                               \
    return driver(#name, [&] { heddle::cuda_api::check(runtime_name arguments); }); \
  }
// The same for a function of the runtime API that is declared already, or has other parameters.
#define HEDDLE_DRIVER_BY(name, parameters, call)                  \
  HEDDLE_DRIVER_API name parameters {                             \
    return driver(#name, [&] { heddle::cuda_api::check(call); }); \
  }
// The function and its twin with the thread's own default stream; `own` makes that of a null stream.
#define HEDDLE_DRIVER_BY_SZ(name, parameters, call)                                              \
  HEDDLE_DRIVER_SZ(name, parameters, {                                                           \
    [[maybe_unused]] const auto own = [](CUstream of) { return stream_or_own(of, per_thread); }; \
    return driver(#name, [&] { heddle::cuda_api::check(call); });                                \
  })
