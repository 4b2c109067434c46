// Contexts: a device's own, which the runtime API uses, and those that a program makes beside it. Each has its own
// streams, modules and sticky error; memory belongs to the one that it was allocated in, and all of a device reach it.
#include "cuda_api/core/library.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/core/reset.hpp"
#include "cuda_api/driver/call.hpp"
#include "cuda_api/driver/runtime_calls.hpp"

using namespace heddle::cuda_api;

namespace {

constexpr unsigned api_3_2 = 3020;

void check_flags(unsigned flags) {
  require((flags & ~unsigned{CU_CTX_FLAGS_MASK}) == 0, cudaErrorInvalidValue, "flags of a context that are none");
}

CUresult create(const char* name, CUcontext* made, unsigned flags, CUdevice device) {
  return driver(name, [&] {
    require(made, cudaErrorInvalidValue, "no place for the context");
    check_flags(flags);
    Context& context = Process::get().contexts.make(device_context(device).number());
    context.flags = flags;
    context.api_version = api_3_2;
    thread_state().contexts.push_back(&context);
    thread_state().device = device;
    *made = handle_of(context);
  });
}

// What a device's context holds goes with it.
void end_primary(Context& context) {
  finish(context);  // its kernels run code of these libraries
  libraries().forget(context);
  reset_context(context);
  registry().reset_managed(context);
}

void release_primary(CUdevice device) {
  refuse_in_host_function();
  Context& context = device_context(device);
  unsigned retained = context.retained.load();
  do require(retained > 0, cudaErrorDeviceUninitialized, "the device's context was not retained");
  while (!context.retained.compare_exchange_weak(retained, retained - 1));
  if (retained == 1 && !context.used_by_runtime) end_primary(context);
}

// The thread's current one without it.
void pop(ThreadState& thread) {
  thread.contexts.pop_back();
  if (!thread.contexts.empty()) thread.device = thread.contexts.back()->number();
}

// NVIDIA's runtime asks so whether the thread has a context: that it has none is an answer, and no failure that
// --check=api would report.
CUresult get_device(const char* name, CUdevice* device, CUcontext handle) {
  bool has_context = true;
  const CUresult result = driver(name, [&] {
    require(device, cudaErrorInvalidValue, "no place for the device");
    device_context(0);  // before cuInit there is no answer
    const Context* const context = handle ? &context_of(handle) : current_context_if_any();
    has_context = context != nullptr;
    if (has_context) *device = context->number();
  });
  return result == CUDA_SUCCESS && !has_context ? CUDA_ERROR_INVALID_CONTEXT : result;
}

}  // namespace

HEDDLE_DRIVER_API cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  HEDDLE_ARGUMENTS(context, device);
  return driver(__func__, [&] {
    require(context, cudaErrorInvalidValue, "no place for the context");
    Context& primary = device_context(device);
    ++primary.retained;
    primary.api_version = api_3_2;
    *context = handle_of(primary);
  });
}
HEDDLE_DRIVER_API cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  HEDDLE_ARGUMENTS(device);
  return driver(__func__, [&] { release_primary(device); });
}
HEDDLE_DRIVER_API cuDevicePrimaryCtxReset_v2(CUdevice device) {
  HEDDLE_ARGUMENTS(device);
  return driver(__func__, [&] { end_primary(device_context(device)); });
}
HEDDLE_DRIVER_API cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  HEDDLE_ARGUMENTS(device, flags);
  return driver(__func__, [&] {
    check_flags(flags);
    device_context(device).flags = flags;
  });
}
HEDDLE_DRIVER_API cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  HEDDLE_ARGUMENTS(device, flags, active);
  return driver(__func__, [&] {
    require(flags && active, cudaErrorInvalidValue, "no place for the answer");
    const Context& primary = device_context(device);
    *flags = primary.flags;
    *active = primary.retained > 0 || primary.used_by_runtime ? 1 : 0;
  });
}

HEDDLE_DRIVER_API cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  HEDDLE_ARGUMENTS(context, flags, device);
  return create(__func__, context, flags, device);
}
HEDDLE_DRIVER_API cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int count, unsigned flags, CUdevice device) {
  HEDDLE_ARGUMENTS(context, count, flags, device);
  if (count != 0)
    return driver(__func__, [&] { not_supported("a context with only some of the SMs (CUexecAffinityParam)"); });
  return create(__func__, context, flags, device);
}
HEDDLE_DRIVER_API cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags, CUdevice device) {
  HEDDLE_ARGUMENTS(context, parameters, flags, device);
  if (parameters && (parameters->numExecAffinityParams != 0 || parameters->cigParams))
    return driver(__func__, [&] { not_supported("a context with parameters (CUctxCreateParams)"); });
  return create(__func__, context, flags, device);
}
HEDDLE_DRIVER_API cuCtxDestroy_v2(CUcontext handle) {
  HEDDLE_ARGUMENTS(handle);
  return driver(__func__, [&] {
    refuse_in_host_function();
    Context& context = context_of(handle);
    require(!context.primary(), cudaErrorDeviceUninitialized,
            "the device's own context is released, cuDevicePrimaryCtxRelease, and not destroyed");
    ThreadState& thread = thread_state();
    if (!thread.contexts.empty() && thread.contexts.back() == &context) pop(thread);
    finish(context);
    libraries().forget(context);
    reset_context(context);
    Process::get().contexts.give_back(context);
  });
}
HEDDLE_DRIVER_API cuCtxPushCurrent_v2(CUcontext handle) {
  HEDDLE_ARGUMENTS(handle);
  return driver(__func__, [&] {
    Context& context = context_of(handle);
    thread_state().contexts.push_back(&context);
    thread_state().device = context.number();
  });
}
HEDDLE_DRIVER_API cuCtxPopCurrent_v2(CUcontext* popped) {
  HEDDLE_ARGUMENTS(popped);
  return driver(__func__, [&] {
    ThreadState& thread = thread_state();
    require(!thread.contexts.empty(), cudaErrorDeviceUninitialized, "the thread has no context");
    if (popped) *popped = handle_of(*thread.contexts.back());
    pop(thread);
  });
}
HEDDLE_DRIVER_API cuCtxSetCurrent(CUcontext handle) {
  HEDDLE_ARGUMENTS(handle);
  return driver(__func__, [&] {
    ThreadState& thread = thread_state();
    if (handle)
      Process::get().use_context(context_of(handle));
    else if (!thread.contexts.empty())
      pop(thread);
  });
}
HEDDLE_DRIVER_API cuCtxGetCurrent(CUcontext* context) {
  HEDDLE_ARGUMENTS(context);
  return driver(__func__, [&] {
    require(context, cudaErrorInvalidValue, "no place for the context");
    require(Process::if_made() != nullptr, cudaErrorInitializationError, "cuInit comes before all else");
    const ThreadState& thread = thread_state();
    *context = thread.contexts.empty() ? nullptr : handle_of(*thread.contexts.back());
  });
}
HEDDLE_DRIVER_API cuCtxGetDevice(CUdevice* device) {
  HEDDLE_ARGUMENTS(device);
  return get_device(__func__, device, nullptr);
}
HEDDLE_DRIVER_API cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
  HEDDLE_ARGUMENTS(device, handle);
  return get_device(__func__, device, handle);
}
HEDDLE_DRIVER_API cuCtxGetFlags(unsigned* flags) {
  HEDDLE_ARGUMENTS(flags);
  return driver(__func__, [&] {
    require(flags, cudaErrorInvalidValue, "no place for the flags");
    *flags = current_context().flags;
  });
}
HEDDLE_DRIVER_API cuCtxSetFlags(unsigned flags) {
  HEDDLE_ARGUMENTS(flags);
  return driver(__func__, [&] {
    check_flags(flags);
    current_context().flags = flags;
  });
}
HEDDLE_DRIVER_API cuCtxGetId(CUcontext handle, unsigned long long* id) {
  HEDDLE_ARGUMENTS(handle, id);
  return driver(__func__, [&] {
    require(id, cudaErrorInvalidValue, "no place for the number");
    *id = (handle ? context_of(handle) : current_context()).epoch();
  });
}
HEDDLE_DRIVER_API cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  HEDDLE_ARGUMENTS(handle, version);
  return driver(__func__, [&] {
    require(version, cudaErrorInvalidValue, "no place for the version");
    const Context& context = handle ? context_of(handle) : current_context();
    *version = context.api_version != 0 ? context.api_version.load() : api_3_2;
  });
}
// In a context that an error has ended, too.
HEDDLE_DRIVER_API cuCtxSynchronize() {
  return driver(__func__, [&] {
    refuse_in_host_function();
    Context& context = current_context();
    context.synchronize();
    context.check_sticky();
  });
}
HEDDLE_DRIVER_API cuCtxSynchronize_v2(CUcontext handle) {
  HEDDLE_ARGUMENTS(handle);
  return driver(__func__, [&] { (handle ? context_of(handle) : current_context()).synchronize(); });
}
HEDDLE_DRIVER_API cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  HEDDLE_ARGUMENTS(least, greatest);
  return in_context(__func__, [&](Context&) { check(cudaDeviceGetStreamPriorityRange(least, greatest)); });
}

// Limits have the numbers of the runtime's.
HEDDLE_DRIVER_API cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  HEDDLE_ARGUMENTS(value, limit);
  return in_context(__func__, [&](Context&) { check(cudaDeviceGetLimit(value, static_cast<int>(limit))); });
}
HEDDLE_DRIVER_API cuCtxSetLimit(CUlimit limit, std::size_t value) {
  HEDDLE_ARGUMENTS(limit, value);
  return in_context(__func__, [&](Context&) { check(cudaDeviceSetLimit(static_cast<int>(limit), value)); });
}

// Before CUDA 4.0 contexts were counted. Attaching is one more owner; as none of them destroys it, nothing is to be
// done.
HEDDLE_DRIVER_API cuCtxAttach(CUcontext* context, unsigned flags) {
  HEDDLE_ARGUMENTS(context, flags);
  return driver(__func__, [&] {
    require(context && flags == 0, cudaErrorInvalidValue, "no place for the context, or unknown flags");
    *context = handle_of(current_context());
  });
}
HEDDLE_DRIVER_API cuCtxDetach(CUcontext handle) {
  HEDDLE_ARGUMENTS(handle);
  return driver(__func__, [&] { context_of(handle); });
}

// Caches are not for a program to divide: hints that devices of Heddle's do not need.
HEDDLE_DRIVER_API cuCtxGetCacheConfig(CUfunc_cache* config) {
  HEDDLE_ARGUMENTS(config);
  return in_context(__func__, [&](Context&) {
    require(config, cudaErrorInvalidValue, "no place for the answer");
    *config = CU_FUNC_CACHE_PREFER_NONE;
  });
}
HEDDLE_DRIVER_API cuCtxSetCacheConfig(CUfunc_cache config) {
  HEDDLE_ARGUMENTS(config);
  return in_context(__func__, [&](Context&) {
    require(config <= CU_FUNC_CACHE_PREFER_EQUAL, cudaErrorInvalidValue, "there is no such division of the cache");
  });
}
HEDDLE_DRIVER_API cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  HEDDLE_ARGUMENTS(config);
  return in_context(__func__, [&](Context&) {
    require(config, cudaErrorInvalidValue, "no place for the answer");
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  });
}
HEDDLE_DRIVER_API cuCtxSetSharedMemConfig(CUsharedconfig config) {
  HEDDLE_ARGUMENTS(config);
  return in_context(__func__, [&](Context&) {
    require(config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE, cudaErrorInvalidValue, "there are no such banks");
  });
}
HEDDLE_DRIVER_API cuCtxResetPersistingL2Cache() {
  return in_context(__func__, [&](Context&) {});
}

HEDDLE_DRIVER_API cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  HEDDLE_ARGUMENTS(handle, flags);
  return in_context(__func__, [&](Context& context) {
    require(flags == 0, cudaErrorInvalidValue, "cuCtxEnablePeerAccess takes no flags");
    Context& peer = context_of(handle);
    require(peer.number() != context.number(), cudaErrorInvalidDevice, "the peer is the same device");
    if (!context.info().host_memory || !peer.info().host_memory)
      throw Failure(cudaErrorPeerAccessUnsupported, "the devices do not reach each other's memory");
  });
}
HEDDLE_DRIVER_API cuCtxDisablePeerAccess(CUcontext handle) {
  HEDDLE_ARGUMENTS(handle);
  return in_context(__func__, [&](Context& context) {
    require(context_of(handle).number() != context.number(), cudaErrorPeerAccessNotEnabled,
            "the peer is the same device");
  });
}
