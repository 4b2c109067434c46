// What an address is.
#include <string>

#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

namespace {

template <class T>
void put(void* place, T value) {
  *static_cast<T*>(place) = value;
}

Context* owner_of(Process& process, const Block& block, Context& current) {
  if (block.owner == current.slot()) return &current;
  return &process.context(block.device);
}

void put_attribute(void* place, CUpointer_attribute attribute, CUdeviceptr p, const Block& block, Context& current) {
  const bool host = block.on_host(), managed = block.kind == BlockKind::managed;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return put(place, handle_of(*owner_of(Process::get(), block, current)));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put<unsigned>(place, host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return put<CUdeviceptr>(place, p);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      require(host || managed, cudaErrorInvalidValue, "the host does not reach the memory");
      return put<void*>(place, pointer(p));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return put<int>(place, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return put<unsigned long long>(place, block.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return put<int>(place, managed ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return put<int>(place, block.device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: return put<int>(place, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return put<CUdeviceptr>(place, block.address);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return put<std::size_t>(place, block.size);
    case CU_POINTER_ATTRIBUTE_MAPPED: return put<int>(place, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return put<unsigned long long>(place, 0);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return put<int>(place, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return put<int>(place, 3);  // read and write
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return put<CUmemoryPool>(place, nullptr);
    default: not_supported("attribute " + std::to_string(attribute) + " of a pointer");
  }
}

// What cuPointerGetAttributes says of memory that CUDA does not know.
void put_nothing(void* place, CUpointer_attribute attribute, CUdeviceptr p) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return put<int>(place, -2);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: return put<void*>(place, pointer(p));
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return put<unsigned long long>(place, 0);
    default: return put<unsigned>(place, 0);
  }
}

bool is_attribute(CUpointer_attribute attribute) {
  return attribute >= CU_POINTER_ATTRIBUTE_CONTEXT && attribute <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;
}

}  // namespace

HEDDLE_DRIVER_API cuPointerGetAttribute(void* place, CUpointer_attribute attribute, CUdeviceptr p) {
  HEDDLE_ARGUMENTS(place, attribute, p);
  return in_context(__func__, [&](Context& context) {
    require(place && is_attribute(attribute), cudaErrorInvalidValue, "no place for it, or no attribute of a pointer");
    const std::optional<Block> block = Process::get().memory.find(p);
    require(block.has_value(), cudaErrorInvalidValue, "the memory was not allocated or registered through CUDA");
    put_attribute(place, attribute, p, *block, context);
  });
}

HEDDLE_DRIVER_API cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** places,
                                         CUdeviceptr p) {
  HEDDLE_ARGUMENTS(count, attributes, places, p);
  return in_context(__func__, [&](Context& context) {
    require(attributes && places, cudaErrorInvalidValue, "no attributes, or no places for them");
    const std::optional<Block> block = Process::get().memory.find(p);
    for (unsigned i = 0; i < count; ++i) {
      require(is_attribute(attributes[i]), cudaErrorInvalidValue, "there is no such attribute of a pointer");
      const bool none = attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER && block && !block->on_host() &&
                        block->kind != BlockKind::managed;
      if (none)
        put<void*>(places[i], nullptr);
      else if (block)
        put_attribute(places[i], attributes[i], p, *block, context);
      else
        put_nothing(places[i], attributes[i], p);
    }
  });
}

HEDDLE_DRIVER_API cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr p) {
  HEDDLE_ARGUMENTS(value, attribute, p);
  return in_context(__func__, [&](Context&) {
    require(value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, cudaErrorInvalidValue,
            "only CU_POINTER_ATTRIBUTE_SYNC_MEMOPS can be set");
    require(Process::get().memory.find(p).has_value(), cudaErrorInvalidValue,
            "the memory was not allocated or registered through CUDA");
  });
}

HEDDLE_DRIVER_API cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* size, CUdeviceptr p) {
  HEDDLE_ARGUMENTS(base, size, p);
  return in_context(__func__, [&](Context&) {
    const std::optional<Block> block = Process::get().memory.find(p);
    if (!block) throw Failure(cudaErrorSymbolNotFound, "the memory was not allocated or registered through CUDA");
    if (base) *base = block->address;
    if (size) *size = block->size;
  });
}
