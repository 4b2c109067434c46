// The end of contexts, and of the functions in them.
#include "interpose/record.hpp"

using namespace heddle::interpose;

#undef cuCtxDestroy
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset

#define HEDDLE_CONTEXT_END(symbol)                                                 \
  HEDDLE_INTERPOSER(symbol)(CUcontext context) {                                   \
    if (Timeline* const timeline = Timeline::current()) timeline->forget(context); \
    return HEDDLE_FORWARD(symbol, context);                                        \
  }
HEDDLE_CONTEXT_END(cuCtxDestroy)
HEDDLE_CONTEXT_END(cuCtxDestroy_v2)

#define HEDDLE_PRIMARY_CONTEXT_END(symbol)                                               \
  HEDDLE_INTERPOSER(symbol)(CUdevice device) {                                           \
    if (Timeline* const timeline = Timeline::current()) timeline->forget_device(device); \
    return HEDDLE_FORWARD(symbol, device);                                               \
  }
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxRelease)
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxRelease_v2)
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxReset)
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxReset_v2)

HEDDLE_INTERPOSER(cuModuleUnload)(CUmodule module) {
  if (Timeline* const timeline = Timeline::current()) timeline->forget_names();
  return HEDDLE_FORWARD(cuModuleUnload, module);
}
HEDDLE_INTERPOSER(cuLibraryUnload)(CUlibrary library) {
  if (Timeline* const timeline = Timeline::current()) timeline->forget_names();
  return HEDDLE_FORWARD(cuLibraryUnload, library);
}
