// Allocation: of devices, of the host, pitched, managed, in stream order.
#include "cuda_api/driver/call.hpp"
#include "cuda_api/driver/runtime_calls.hpp"

using namespace heddle::cuda_api;

namespace {

// The driver API knows no allocation of nothing.
void check_size(std::size_t size) { require(size > 0, cudaErrorInvalidValue, "an allocation of no bytes"); }

// The block that begins there, of a kind that the call can free.
Block own_block(const void* p, bool of_host, const char* what) {
  std::optional<Block> block = Process::get().memory.find(address(p));
  const bool fits = block && block->address == address(p) && (block->kind == BlockKind::host) == of_host &&
                    block->kind != BlockKind::registered && block->kind != BlockKind::variable;
  require(fits, cudaErrorInvalidValue, what);
  return *std::move(block);
}

}  // namespace

HEDDLE_DRIVER_API cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  HEDDLE_ARGUMENTS(free, total);
  return in_context(__func__, [&](Context&) {
    require(free && total, cudaErrorInvalidValue, "no place for the sizes");
    check(cudaMemGetInfo(free, total));
  });
}
HEDDLE_DRIVER_API cuMemAlloc_v2(CUdeviceptr* made, std::size_t size) {
  HEDDLE_ARGUMENTS(made, size);
  return in_context(__func__, [&](Context&) {
    require(made, cudaErrorInvalidValue, "no place for the pointer");
    check_size(size);
    void* p = nullptr;
    check(cudaMalloc(&p, size));
    *made = address(p);
  });
}
HEDDLE_DRIVER_API cuMemAllocPitch_v2(CUdeviceptr* made, std::size_t* pitch, std::size_t width, std::size_t height,
                                     unsigned element_bytes) {
  HEDDLE_ARGUMENTS(made, pitch, width, height, element_bytes);
  return in_context(__func__, [&](Context&) {
    require(made && pitch, cudaErrorInvalidValue, "no place for the pointer or the pitch");
    require(element_bytes == 4 || element_bytes == 8 || element_bytes == 16, cudaErrorInvalidValue,
            "elements of pitched memory have 4, 8 or 16 bytes");
    check_size(width * height);
    void* p = nullptr;
    check(cudaMallocPitch(&p, pitch, width, height));
    *made = address(p);
  });
}
HEDDLE_DRIVER_API cuMemFree_v2(CUdeviceptr p) {
  HEDDLE_ARGUMENTS(p);
  return in_context(__func__, [&](Context& context) {
    if (p == 0) return;
    own_block(pointer(p), false, "the memory was not allocated, or was freed before");
    context.synchronize();  // the runtime API waits for the device's own context
    check(cudaFree(pointer(p)));
  });
}
HEDDLE_DRIVER_API cuMemAllocHost_v2(void** made, std::size_t size) {
  HEDDLE_ARGUMENTS(made, size);
  return in_context(__func__, [&](Context&) {
    check_size(size);
    check(cudaHostAlloc(made, size, cudaHostAllocDefault));
  });
}
HEDDLE_DRIVER_API cuMemHostAlloc(void** made, std::size_t size, unsigned flags) {
  HEDDLE_ARGUMENTS(made, size, flags);
  return in_context(__func__, [&](Context&) {
    constexpr unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    require((flags & ~known) == 0, cudaErrorInvalidValue, "flags of an allocation that are none");
    check_size(size);
    check(cudaHostAlloc(made, size, flags));
  });
}
HEDDLE_DRIVER_API cuMemFreeHost(void* p) {
  HEDDLE_ARGUMENTS(p);
  return in_context(__func__, [&](Context& context) {
    own_block(p, true, "the memory was not allocated by cuMemAllocHost or cuMemHostAlloc");
    context.synchronize();  // the runtime API waits for the device's own context
    check(cudaFreeHost(p));
  });
}
HEDDLE_DRIVER_API cuMemHostRegister_v2(void* p, std::size_t size, unsigned flags) {
  HEDDLE_ARGUMENTS(p, size, flags);
  return in_context(__func__, [&](Context&) {
    if (flags & CU_MEMHOSTREGISTER_IOMEMORY)
      not_supported("memory of devices on the bus (CU_MEMHOSTREGISTER_IOMEMORY)");
    check(cudaHostRegister(p, size, flags));
  });
}
HEDDLE_DRIVER_API cuMemHostUnregister(void* p) {
  HEDDLE_ARGUMENTS(p);
  return in_context(__func__, [&](Context&) { check(cudaHostUnregister(p)); });
}
HEDDLE_DRIVER_API cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* host, unsigned flags) {
  HEDDLE_ARGUMENTS(device, host, flags);
  return in_context(__func__, [&](Context&) {
    require(device, cudaErrorInvalidValue, "no place for the pointer");
    void* p = nullptr;
    check(cudaHostGetDevicePointer(&p, host, flags));
    *device = address(p);
  });
}
HEDDLE_DRIVER_API cuMemHostGetFlags(unsigned* flags, void* p) {
  HEDDLE_ARGUMENTS(flags, p);
  return in_context(__func__, [&](Context&) {
    require(flags, cudaErrorInvalidValue, "no place for the flags");
    check(cudaHostGetFlags(flags, p));
  });
}
HEDDLE_DRIVER_API cuMemAllocManaged(CUdeviceptr* made, std::size_t size, unsigned flags) {
  HEDDLE_ARGUMENTS(made, size, flags);
  return in_context(__func__, [&](Context&) {
    require(made, cudaErrorInvalidValue, "no place for the pointer");
    check_size(size);
    void* p = nullptr;
    check(cudaMallocManaged(&p, size, flags));
    *made = address(p);
  });
}
HEDDLE_DRIVER_SZ(cuMemAllocAsync, (CUdeviceptr * made, std::size_t size, CUstream stream), {
  HEDDLE_ARGUMENTS(made, size, stream);
  return on_stream(__func__, stream, [&](Context&) {
    require(made, cudaErrorInvalidValue, "no place for the pointer");
    check_size(size);
    void* p = nullptr;
    check(cudaMallocAsync(&p, size, stream_or_own(stream, per_thread)));
    *made = address(p);
  });
})
HEDDLE_DRIVER_SZ(cuMemFreeAsync, (CUdeviceptr p, CUstream stream), {
  HEDDLE_ARGUMENTS(p, stream);
  return on_stream(__func__, stream, [&](Context&) {
    require(p != 0, cudaErrorInvalidValue, "no memory to free");
    check(cudaFreeAsync(pointer(p), stream_or_own(stream, per_thread)));
  });
})
HEDDLE_DRIVER_SZ(cuStreamAttachMemAsync, (CUstream stream, CUdeviceptr p, std::size_t size, unsigned flags), {
  HEDDLE_ARGUMENTS(stream, p, size, flags);
  return on_stream(__func__, stream, [&](Context&) {
    check(cudaStreamAttachMemAsync(stream_or_own(stream, per_thread), pointer(p), size, flags));
  });
})

namespace {

// Hints for memory that moves by itself; devices of Heddle's have no such memory but their own.
void check_managed(Context& context, CUdeviceptr p, std::size_t size, const char* what) {
  const std::optional<Block> block = Process::get().memory.find(p);
  require(block && size > 0 && size <= block->size - (p - block->address), cudaErrorInvalidValue, what);
  require(block->kind == BlockKind::managed || context.info().host_memory, cudaErrorInvalidValue, what);
}

CUresult advise(const char* name, CUdeviceptr p, std::size_t size, CUmem_advise advice) {
  return in_context(name, [&](Context& context) {
    require(advice >= CU_MEM_ADVISE_SET_READ_MOSTLY && advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY, cudaErrorInvalidValue,
            "there is no such advice");
    check_managed(context, p, size, "advice for what is no managed memory");
  });
}

CUresult prefetch(const char* name, CUdeviceptr p, std::size_t size, CUstream stream) {
  return on_stream(name, stream, [&](Context& context) {
    check_managed(context, p, size, "a prefetch of what is no managed memory");
  });
}

}  // namespace

HEDDLE_DRIVER_API cuMemAdvise(CUdeviceptr p, std::size_t size, CUmem_advise advice, CUdevice) {
  HEDDLE_ARGUMENTS(p, size, advice);
  return advise(__func__, p, size, advice);
}
HEDDLE_DRIVER_API cuMemAdvise_v2(CUdeviceptr p, std::size_t size, CUmem_advise advice, CUmemLocation) {
  HEDDLE_ARGUMENTS(p, size, advice);
  return advise(__func__, p, size, advice);
}
HEDDLE_DRIVER_SZ(cuMemPrefetchAsync, (CUdeviceptr p, std::size_t size, CUdevice, CUstream stream), {
  HEDDLE_ARGUMENTS(p, size, stream);
  return prefetch(__func__, p, size, stream);
})
HEDDLE_DRIVER_SZ(cuMemPrefetchAsync_v2, (CUdeviceptr p, std::size_t size, CUmemLocation, unsigned, CUstream stream), {
  HEDDLE_ARGUMENTS(p, size, stream);
  return prefetch(__func__, p, size, stream);
})
