// Memory pools.
#include "cuda_api/abi/memory.hpp"
#include "cuda_api/driver/same.hpp"

using namespace heddle::cuda_api;
using abi::MemAccess;
using abi::MemLocation;
using abi::MemPoolProps;

HEDDLE_DRIVER_SAME(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool, (CUmemoryPool * pool, int device),
                   (pool, device))
HEDDLE_DRIVER_SAME(cuDeviceGetMemPool, cudaDeviceGetMemPool, (CUmemoryPool * pool, int device), (pool, device))
HEDDLE_DRIVER_SAME(cuDeviceSetMemPool, cudaDeviceSetMemPool, (int device, CUmemoryPool pool), (device, pool))
HEDDLE_DRIVER_SAME(cuMemPoolDestroy, cudaMemPoolDestroy, (CUmemoryPool pool), (pool))
HEDDLE_DRIVER_SAME(cuMemPoolTrimTo, cudaMemPoolTrimTo, (CUmemoryPool pool, std::size_t keep), (pool, keep))

extern "C" {
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, MemLocation* location, int type);
cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, MemLocation* location, int type);
cudaError_t cudaMemSetMemPool(MemLocation* location, int type, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const MemPoolProps* properties);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void* value);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void* value);
cudaError_t cudaMemPoolGetAccess(int* flags, cudaMemPool_t pool, MemLocation* location);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const MemAccess* list, std::size_t count);
cudaError_t cudaMallocFromPoolAsync(void** p, std::size_t size, cudaMemPool_t pool, cudaStream_t stream);
}

// Structures of both APIs have one layout.
static_assert(sizeof(CUmemLocation) == sizeof(MemLocation) && sizeof(CUmemAccessDesc) == sizeof(MemAccess));

namespace {
MemLocation* place(CUmemLocation* location) { return reinterpret_cast<MemLocation*>(location); }
}  // namespace

HEDDLE_DRIVER_BY(cuMemGetDefaultMemPool, (CUmemoryPool * pool, CUmemLocation* location, CUmemAllocationType type),
                 cudaMemGetDefaultMemPool(pool, place(location), type))
HEDDLE_DRIVER_BY(cuMemGetMemPool, (CUmemoryPool * pool, CUmemLocation* location, CUmemAllocationType type),
                 cudaMemGetMemPool(pool, place(location), type))
HEDDLE_DRIVER_BY(cuMemSetMemPool, (CUmemLocation * location, CUmemAllocationType type, CUmemoryPool pool),
                 cudaMemSetMemPool(place(location), type, pool))
HEDDLE_DRIVER_BY(cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps* properties),
                 cudaMemPoolCreate(pool, reinterpret_cast<const MemPoolProps*>(properties)))
HEDDLE_DRIVER_BY(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void* value),
                 cudaMemPoolGetAttribute(pool, attribute, value))
HEDDLE_DRIVER_BY(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void* value),
                 cudaMemPoolSetAttribute(pool, attribute, value))
HEDDLE_DRIVER_BY(cuMemPoolGetAccess, (CUmemAccess_flags * flags, CUmemoryPool pool, CUmemLocation* location),
                 cudaMemPoolGetAccess(reinterpret_cast<int*>(flags), pool, place(location)))
HEDDLE_DRIVER_BY(cuMemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc* list, std::size_t count),
                 cudaMemPoolSetAccess(pool, reinterpret_cast<const MemAccess*>(list), count))

HEDDLE_DRIVER_SZ(cuMemAllocFromPoolAsync, (CUdeviceptr * made, std::size_t size, CUmemoryPool pool, CUstream stream), {
  HEDDLE_ARGUMENTS(made, size, pool, stream);
  return on_stream(__func__, stream, [&](Context&) {
    require(made && size > 0, cudaErrorInvalidValue, "no place for the pointer, or no bytes");
    void* p = nullptr;
    check(cudaMallocFromPoolAsync(&p, size, pool, stream_or_own(stream, per_thread)));
    *made = address(p);
  });
})
