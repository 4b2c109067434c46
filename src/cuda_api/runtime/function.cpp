// What kernels are, and what may be set for them. A structure differs between the versions of CUDA: compiled for each.
#include <algorithm>

#include "cuda_api/abi/launch.hpp"
#include "cuda_api/core/attributes.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/runtime/call.hpp"
#include "cuda_api/runtime/launch.hpp"

using namespace heddle::cuda_api;

namespace {

enum : int { dynamic_shared = 8, carveout = 9, first_of_clusters = 10, last_of_clusters = 15 };

#if HEDDLE_CUDART_MAJOR >= 12
using Attributes = abi::FunctionAttributes12;
#else
using Attributes = abi::FunctionAttributes11;
#endif

void describe(Attributes& made, Context& context, KernelEntry& entry) {
  const heddle::LoadedKernel& loaded = entry.on(context);
  const KernelNeeds needs = needs_of(context, loaded);
  made = {};
  made.shared = loaded.shared_bytes();
  made.local = needs.local_bytes;
  made.threads = static_cast<int>(needs.most_threads);
  made.registers = static_cast<int>(needs.registers);
  made.ptx_version = static_cast<int>(entry.image().ptx_arch(context));
  made.binary_version = 10 * attribute(context, 75).value_or(8) + attribute(context, 76).value_or(0);
  made.dynamic_shared = static_cast<int>(dynamic_shared_limit(entry, loaded));
  made.carveout = -1;
}

void set(Context& context, KernelEntry& entry, int number, int value) {
  if (number == dynamic_shared) {
    const heddle::LoadedKernel& loaded = entry.on(context);
    require(
        value >= 0 && static_cast<std::uint64_t>(value) + loaded.shared_bytes() <= context.info().max_shared_per_block,
        cudaErrorInvalidValue, "blocks cannot have so much shared memory");
    entry.most_dynamic_shared = static_cast<std::uint32_t>(value);
  } else if (number == carveout) {
    require(value >= -1 && value <= 100, cudaErrorInvalidValue, "a part of shared memory is -1 or 0 to 100 percent");
  } else if (number >= first_of_clusters && number <= last_of_clusters) {
    if (value != 0) not_supported("a kernel with clusters of blocks");
  } else {
    throw Failure(cudaErrorInvalidValue, std::to_string(number) + " is no attribute of a kernel that can be set");
  }
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaFuncGetAttributes(Attributes* attributes, const void* kernel) {
  HEDDLE_ARGUMENTS(attributes, kernel);
  return with_context(__func__, [&](Context& context) {
    require(attributes, cudaErrorInvalidValue, "no place for the attributes");
    describe(*attributes, context, registry().kernel(kernel));
  });
}
HEDDLE_CUDA_API cudaError_t cudaFuncSetAttribute(const void* kernel, int number, int value) {
  HEDDLE_ARGUMENTS(kernel, number, value);
  return with_context(__func__, [&](Context& context) { set(context, registry().kernel(kernel), number, value); });
}
HEDDLE_CUDA_API cudaError_t cudaKernelSetAttributeForDevice(const void* kernel, int number, int value, int device) {
  HEDDLE_ARGUMENTS(kernel, number, value, device);
  return guarded(__func__, [&] { set(Process::get().context(device), registry().kernel(kernel), number, value); });
}
// How a kernel prefers caches and banks is left to the device.
HEDDLE_CUDA_API cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config) {
  HEDDLE_ARGUMENTS(kernel, config);
  return with_context(__func__, [&](Context&) {
    registry().kernel(kernel);
    require(static_cast<unsigned>(config) <= cudaFuncCachePreferEqual, cudaErrorInvalidValue, "no such configuration");
  });
}
HEDDLE_CUDA_API cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig config) {
  HEDDLE_ARGUMENTS(kernel, config);
  return with_context(__func__, [&](Context&) {
    registry().kernel(kernel);
    require(static_cast<unsigned>(config) <= cudaSharedMemBankSizeEightByte, cudaErrorInvalidValue,
            "no such configuration");
  });
}
HEDDLE_CUDA_API cudaError_t cudaFuncGetName(const char** name, const void* kernel) {
  HEDDLE_ARGUMENTS(name, kernel);
  return with_context(__func__, [&](Context&) {
    require(name, cudaErrorInvalidValue, "no place for the name");
    *name = registry().kernel(kernel).name().c_str();
  });
}
HEDDLE_CUDA_API cudaError_t cudaFuncGetParamInfo(const void* kernel, std::size_t number, std::size_t* offset,
                                                 std::size_t* size) {
  HEDDLE_ARGUMENTS(kernel, number, offset, size);
  return with_context(__func__, [&](Context& context) {
    const auto& places = registry().kernel(kernel).on(context).parameters();
    require(offset && number < places.size(), cudaErrorInvalidValue, "no place for the offset, or no such parameter");
    *offset = places[number].offset;
    if (size) *size = places[number].size;
  });
}

// Handles of kernels: the entry itself, which every function takes where it takes a stub.
HEDDLE_CUDA_API cudaError_t cudaGetFuncBySymbol(void** function, const void* kernel) {
  HEDDLE_ARGUMENTS(function, kernel);
  return with_context(__func__, [&](Context& context) {
    require(function, cudaErrorInvalidValue, "no place for the function");
    KernelEntry& entry = registry().kernel(kernel);
    entry.on(context);
    *function = &entry;
  });
}
HEDDLE_CUDA_API cudaError_t cudaGetKernel(void** handle, const void* kernel) {
  HEDDLE_ARGUMENTS(handle, kernel);
  return guarded(__func__, [&] {
    require(handle, cudaErrorInvalidValue, "no place for the kernel");
    *handle = &registry().kernel(kernel);
  });
}
