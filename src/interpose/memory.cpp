// Memory of GPUs, for the limit of a process.
#include "interpose/memory_limit.hpp"

using namespace heddle::interpose;

#undef cuDeviceTotalMem
#undef cuMemAlloc
#undef cuMemAllocPitch
#undef cuMemFree
#undef cuMemGetInfo

namespace {

// In the thread's context, or in a pool of its device.
enum class Of { context, device };

template <class Handle, class Allocate>
CUresult allocate(Of of, std::uint64_t bytes, const Handle* handle, Allocate&& call) {
  MemoryLimit* const limit = MemoryLimit::current();
  if (!limit || !handle) return call();
  auto owner = MemoryLimit::current_owner();
  if (!owner) return call();  // an error of the driver's
  if (of == Of::device) owner->context = nullptr;
  return limit->allocate(*owner, bytes, handle, call);
}

template <class Free>
CUresult release(std::uint64_t handle, Free&& call) {
  const CUresult result = call();
  if (MemoryLimit* const limit = MemoryLimit::current(); limit && result == CUDA_SUCCESS) limit->freed(handle);
  return result;
}

}  // namespace

HEDDLE_INTERPOSER(cuMemAlloc_v2)(CUdeviceptr* address, size_t bytes) {
  return allocate(Of::context, bytes, address, [&] { return HEDDLE_FORWARD(cuMemAlloc_v2, address, bytes); });
}

HEDDLE_INTERPOSER(cuMemAllocPitch_v2)
(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned element) {
  return allocate(Of::context, width * height, address,
                  [&] { return HEDDLE_FORWARD(cuMemAllocPitch_v2, address, pitch, width, height, element); });
}

HEDDLE_INTERPOSER(cuMemAllocManaged)(CUdeviceptr* address, size_t bytes, unsigned flags) {
  return allocate(Of::context, bytes, address,
                  [&] { return HEDDLE_FORWARD(cuMemAllocManaged, address, bytes, flags); });
}

#define HEDDLE_ALLOCATE_ASYNC(symbol)                                                                            \
  HEDDLE_INTERPOSER(symbol)(CUdeviceptr * address, size_t bytes, CUstream stream) {                              \
    return allocate(Of::device, bytes, address, [&] { return HEDDLE_FORWARD(symbol, address, bytes, stream); }); \
  }
HEDDLE_ALLOCATE_ASYNC(cuMemAllocAsync)
HEDDLE_ALLOCATE_ASYNC(cuMemAllocAsync_ptsz)

#define HEDDLE_ALLOCATE_FROM_POOL(symbol)                                                                              \
  HEDDLE_INTERPOSER(symbol)(CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream) {                 \
    return allocate(Of::device, bytes, address, [&] { return HEDDLE_FORWARD(symbol, address, bytes, pool, stream); }); \
  }
HEDDLE_ALLOCATE_FROM_POOL(cuMemAllocFromPoolAsync)
HEDDLE_ALLOCATE_FROM_POOL(cuMemAllocFromPoolAsync_ptsz)

// Memory of the host has other kinds of places, and does not count.
HEDDLE_INTERPOSER(cuMemCreate)
(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties, unsigned long long flags) {
  const auto call = [&] { return HEDDLE_FORWARD(cuMemCreate, handle, bytes, properties, flags); };
  MemoryLimit* const limit = MemoryLimit::current();
  if (!limit || !handle || !properties || properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return call();
  return limit->allocate({properties->location.id, nullptr}, bytes, handle, call);
}

HEDDLE_INTERPOSER(cuMemFree_v2)(CUdeviceptr address) {
  return release(address, [&] { return HEDDLE_FORWARD(cuMemFree_v2, address); });
}
#define HEDDLE_FREE_ASYNC(symbol)                                                     \
  HEDDLE_INTERPOSER(symbol)(CUdeviceptr address, CUstream stream) {                   \
    return release(address, [&] { return HEDDLE_FORWARD(symbol, address, stream); }); \
  }
HEDDLE_FREE_ASYNC(cuMemFreeAsync)
HEDDLE_FREE_ASYNC(cuMemFreeAsync_ptsz)

// A handle counts until the program gives it back; mappings may hold the memory for longer.
HEDDLE_INTERPOSER(cuMemRelease)(CUmemGenericAllocationHandle handle) {
  return release(handle, [&] { return HEDDLE_FORWARD(cuMemRelease, handle); });
}

HEDDLE_INTERPOSER(cuMemGetInfo_v2)(size_t* free, size_t* total) {
  const CUresult result = HEDDLE_FORWARD(cuMemGetInfo_v2, free, total);
  MemoryLimit* const limit = MemoryLimit::current();
  CUdevice device = 0;
  if (!limit || result != CUDA_SUCCESS || HEDDLE_FORWARD(cuCtxGetDevice, &device) != CUDA_SUCCESS) return result;
  if (total) *total = std::min<size_t>(*total, limit->bytes());
  if (free) *free = std::min<size_t>(*free, limit->left(device));
  return result;
}

HEDDLE_INTERPOSER(cuDeviceTotalMem_v2)(size_t* bytes, CUdevice device) {
  const CUresult result = HEDDLE_FORWARD(cuDeviceTotalMem_v2, bytes, device);
  MemoryLimit* const limit = MemoryLimit::current();
  if (limit && result == CUDA_SUCCESS && bytes) *bytes = std::min<size_t>(*bytes, limit->bytes());
  return result;
}
