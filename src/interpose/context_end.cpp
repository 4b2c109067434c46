// The end of contexts, and of the functions in them.
#include "interpose/memory_limit.hpp"
#include "interpose/record.hpp"

using namespace heddle::interpose;

#undef cuCtxDestroy
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset

namespace {

// The primary context of the device, if it is there.
CUcontext primary_context(CUdevice device) {
  unsigned flags = 0;
  int active = 0;
  CUcontext context = nullptr;
  if (HEDDLE_FORWARD(cuDevicePrimaryCtxGetState, device, &flags, &active) != CUDA_SUCCESS || !active) return nullptr;
  if (HEDDLE_FORWARD(cuDevicePrimaryCtxRetain, &context, device) != CUDA_SUCCESS) return nullptr;
  HEDDLE_FORWARD(cuDevicePrimaryCtxRelease_v2, device);
  return context;
}

template <class End>
CUresult end(CUcontext context, End&& call) {
  if (Timeline* const timeline = Timeline::current()) timeline->forget(context);
  if (Gate* const gate = Gate::current()) gate->forget(context);
  const CUresult result = call();
  if (MemoryLimit* const limit = MemoryLimit::current(); limit && result == CUDA_SUCCESS) limit->forget(context);
  return result;
}

// The primary context goes on where others have retained it.
template <class End>
CUresult end_primary(CUdevice device, End&& call) {
  if (Timeline* const timeline = Timeline::current()) timeline->forget_device(device);
  if (Gate* const gate = Gate::current()) gate->forget_device(device);
  MemoryLimit* const limit = MemoryLimit::current();
  CUcontext const context = limit ? primary_context(device) : nullptr;
  const CUresult result = call();
  if (context && result == CUDA_SUCCESS && !primary_context(device)) limit->forget(context);
  return result;
}

void forget_functions() {
  if (Timeline* const timeline = Timeline::current()) timeline->forget_names();
  if (Gate* const gate = Gate::current()) gate->forget_functions();
}

}  // namespace

#define HEDDLE_CONTEXT_END(symbol)                                        \
  HEDDLE_INTERPOSER(symbol)(CUcontext context) {                          \
    return end(context, [&] { return HEDDLE_FORWARD(symbol, context); }); \
  }
HEDDLE_CONTEXT_END(cuCtxDestroy)
HEDDLE_CONTEXT_END(cuCtxDestroy_v2)

#define HEDDLE_PRIMARY_CONTEXT_END(symbol)                                      \
  HEDDLE_INTERPOSER(symbol)(CUdevice device) {                                  \
    return end_primary(device, [&] { return HEDDLE_FORWARD(symbol, device); }); \
  }
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxRelease)
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxRelease_v2)
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxReset)
HEDDLE_PRIMARY_CONTEXT_END(cuDevicePrimaryCtxReset_v2)

HEDDLE_INTERPOSER(cuModuleUnload)(CUmodule module) {
  forget_functions();
  return HEDDLE_FORWARD(cuModuleUnload, module);
}
HEDDLE_INTERPOSER(cuLibraryUnload)(CUlibrary library) {
  forget_functions();
  return HEDDLE_FORWARD(cuLibraryUnload, library);
}
