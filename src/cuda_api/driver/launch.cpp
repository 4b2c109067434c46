// Launches: with arguments one by one, in a packed buffer, with attributes, and as before CUDA 4.0.
#include "cuda_api/runtime/launch.hpp"

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "base/kernel_name.hpp"
#include "cuda_api/driver/function.hpp"

using namespace heddle::cuda_api;

namespace {

// A packed buffer of arguments, as `extra` of a launch has it.
struct Packed {
  const std::byte* bytes;
  std::size_t size;
};

Packed packed_of(void** extra) {
  const std::byte* bytes = nullptr;
  const std::size_t* size = nullptr;
  for (void** at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER)
      bytes = static_cast<const std::byte*>(at[1]);
    else if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = static_cast<const std::size_t*>(at[1]);
    else
      throw Failure(cudaErrorInvalidValue, "`extra` of a launch has a key that is none");
  }
  if (!bytes || !size) throw Failure(cudaErrorInvalidValue, "`extra` of a launch lacks its buffer or its size");
  return {bytes, *size};
}

// Pointers to the values in a packed buffer.
std::vector<void*> unpack(const heddle::LoadedKernel& kernel, const std::byte* bytes, std::size_t size) {
  if (size < kernel.parameter_bytes())
    throw Failure(cudaErrorInvalidValue,
                  fmt::format("a launch with {} bytes of arguments; kernel '{}' takes {}", size,
                              heddle::base::demangled(kernel.kernel().name()), kernel.parameter_bytes()));
  std::vector<void*> places;
  for (const heddle::ParameterPlace& place : kernel.parameters())
    places.push_back(const_cast<std::byte*>(bytes + place.offset));
  return places;
}

// In the context of the stream.
void run(const char* name, Context& context, CUfunction function, const LaunchCall& call, void** arguments,
         void** extra) {
  KernelEntry& entry = entry_of(function);
  function_context(entry, context);
  require(!arguments || !extra, cudaErrorInvalidValue, "a launch with arguments in two forms");
  std::vector<void*> places;
  if (extra) {
    const Packed packed = packed_of(extra);
    places = unpack(entry.on(context), packed.bytes, packed.size);
    arguments = places.data();
  }
  check(launch(name, &entry, call, arguments));
}

CUresult launch_call(const char* name, CUfunction function, const LaunchCall& call, void** arguments, void** extra) {
  return on_stream(name, call.stream, [&](Context& context) { run(name, context, function, call, arguments, extra); });
}

// What of the attributes changes what a launch does.
void apply(LaunchCall& call, const CUlaunchAttribute& attribute) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      return;  // hints
    // A launch may begin before the one before it has ended; it need not.
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: return;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: call.cooperative = attribute.value.cooperative != 0; return;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& size = attribute.value.clusterDim;
      if (size.x * size.y * size.z > 1) not_supported("a launch of clusters of blocks");
      return;
    }
    default:
      not_supported(fmt::format("attribute {} of a launch (CUlaunchAttributeID)", static_cast<int>(attribute.id)));
  }
}

}  // namespace

HEDDLE_DRIVER_SZ(cuLaunchKernel,
                 (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** arguments, void** extra),
                 {
                   HEDDLE_ARGUMENTS(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                                    arguments, extra);
                   return launch_call(
                       __func__, function,
                       {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, false, per_thread},
                       arguments, extra);
                 })
HEDDLE_DRIVER_SZ(cuLaunchCooperativeKernel,
                 (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** arguments),
                 {
                   HEDDLE_ARGUMENTS(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                                    arguments);
                   return launch_call(
                       __func__, function,
                       {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, true, per_thread},
                       arguments, nullptr);
                 })
HEDDLE_DRIVER_SZ(cuLaunchKernelEx, (const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra),
                 {
                   HEDDLE_ARGUMENTS(config, function, arguments, extra);
                   if (!config) return CUDA_ERROR_INVALID_VALUE;
                   const char* const name = __func__;  // within the lambda it is another
                   return on_stream(name, config->hStream, [&](Context& context) {
                     LaunchCall call{{config->gridDimX, config->gridDimY, config->gridDimZ},
                                     {config->blockDimX, config->blockDimY, config->blockDimZ},
                                     config->sharedMemBytes,
                                     config->hStream,
                                     false,
                                     per_thread};
                     for (const auto& attribute : std::span(config->attrs, config->numAttrs)) apply(call, attribute);
                     run(name, context, function, call, arguments, extra);
                   });
                 })

// Before CUDA 4.0 a function kept the shape and the arguments of its next launch.

namespace {

template <class F>
CUresult set(const char* name, CUfunction function, F&& f) noexcept {
  return in_context(name, [&](Context&) { f(libraries().old_launch(entry_of(function))); });
}

void put(OldLaunch& launch, int offset, const void* value, std::size_t size) {
  require(offset >= 0 && value, cudaErrorInvalidValue, "no value, or a place before the arguments");
  const std::size_t end = static_cast<std::size_t>(offset) + size;
  constexpr std::size_t most = 32 << 10;
  require(end <= most, cudaErrorInvalidValue, "a kernel has at most 32 KiB of arguments");
  if (launch.arguments.size() < end) launch.arguments.resize(end);
  std::memcpy(launch.arguments.data() + offset, value, size);
}

CUresult launch_old(const char* name, CUfunction function, int width, int height, CUstream stream) {
  return on_stream(name, stream, [&](Context& context) {
    require(width > 0 && height > 0, cudaErrorInvalidValue, "a grid of no blocks");
    KernelEntry& entry = entry_of(function);
    OldLaunch launch = libraries().old_launch(entry);
    const heddle::LoadedKernel& loaded = entry.on(function_context(entry, context));
    std::vector<void*> places = unpack(loaded, launch.arguments.data(), launch.arguments.size());
    const LaunchCall call{{static_cast<unsigned>(width), static_cast<unsigned>(height), 1},
                          launch.block,
                          launch.shared,
                          stream,
                          false,
                          false};
    run(name, context, function, call, places.data(), nullptr);
  });
}

}  // namespace

HEDDLE_DRIVER_API cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  HEDDLE_ARGUMENTS(function, x, y, z);
  return set(__func__, function, [&](OldLaunch& launch) {
    require(x > 0 && y > 0 && z > 0, cudaErrorInvalidValue, "blocks of no threads");
    launch.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
  });
}
HEDDLE_DRIVER_API cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  HEDDLE_ARGUMENTS(function, bytes);
  return set(__func__, function, [&](OldLaunch& launch) { launch.shared = bytes; });
}
HEDDLE_DRIVER_API cuParamSetSize(CUfunction function, unsigned bytes) {
  HEDDLE_ARGUMENTS(function, bytes);
  return set(__func__, function, [&](OldLaunch& launch) { launch.arguments.resize(bytes); });
}
HEDDLE_DRIVER_API cuParamSeti(CUfunction function, int offset, unsigned value) {
  HEDDLE_ARGUMENTS(function, offset, value);
  return set(__func__, function, [&](OldLaunch& launch) { put(launch, offset, &value, sizeof value); });
}
HEDDLE_DRIVER_API cuParamSetf(CUfunction function, int offset, float value) {
  HEDDLE_ARGUMENTS(function, offset, value);
  return set(__func__, function, [&](OldLaunch& launch) { put(launch, offset, &value, sizeof value); });
}
HEDDLE_DRIVER_API cuParamSetv(CUfunction function, int offset, void* value, unsigned bytes) {
  HEDDLE_ARGUMENTS(function, offset, value, bytes);
  return set(__func__, function, [&](OldLaunch& launch) { put(launch, offset, value, bytes); });
}
HEDDLE_DRIVER_API cuLaunch(CUfunction function) {
  HEDDLE_ARGUMENTS(function);
  return launch_old(__func__, function, 1, 1, nullptr);
}
HEDDLE_DRIVER_API cuLaunchGrid(CUfunction function, int width, int height) {
  HEDDLE_ARGUMENTS(function, width, height);
  return launch_old(__func__, function, width, height, nullptr);
}
HEDDLE_DRIVER_API cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  HEDDLE_ARGUMENTS(function, width, height, stream);
  return launch_old(__func__, function, width, height, stream);
}
