// The end of contexts, and of the functions in them.
#include "interpose/record.hpp"

using namespace heddle::interpose;

#undef cuCtxDestroy
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset

#define HEDDLE_CONTEXT_END(symbol)                                                 \
  HEDDLE_INTERPOSER(symbol)(CUcontext context) {                                   \
    if (Timeline* const timeline = Timeline::current()) timeline->forget(context); \
    if (Gate* const gate = Gate::current()) gate->forget(context);                 \
    return HEDDLE_FORWARD(symbol, context);                                        \
  }
HEDDLE_CONTEXT_END(cuCtxDestroy)
HEDDLE_CONTEXT_END(cuCtxDestroy_v2)

#define HEDDLE_PRIMARY_CONTEXT_END(symbol)                                               \
  HEDDLE_INTERPOSER(symbol)(CUdevice device) {                                           \
    if (Timeline* const timeline = Timeline::current()) timeline->forget_device(device); \
    if (Gate* const gate = Gate::current()) gate->forget_device(device);                 \
    return HEDDLE_FORWARD(symbol, device);                                               \
  }
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxRelease)
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxRelease_v2)
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxReset)
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxReset_v2)

namespace {

void forget_functions() {
  if (Timeline* const timeline = Timeline::current()) timeline->forget_names();
  if (Gate* const gate = Gate::current()) gate->forget_functions();
}

}  // namespace

HEDDLE_INTERPOSER(cuModuleUnload)(CUmodule module) {
  forget_functions();
  return HEDDLE_FORWARD(cuModuleUnload, module);
}
HEDDLE_INTERPOSER(cuLibraryUnload)(CUlibrary library) {
  forget_functions();
  return HEDDLE_FORWARD(cuLibraryUnload, library);
}
