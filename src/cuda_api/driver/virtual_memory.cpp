// Virtual memory management.
#include "cuda_api/core/virtual_memory.hpp"

#include <string>

#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

namespace {

int device_at(const CUmemLocation& location, const char* what) {
  require(location.type >= CU_MEM_LOCATION_TYPE_DEVICE && location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
          cudaErrorInvalidValue, "there is no such place of memory");
  if (location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    not_supported(std::string(what) + " in the host's memory (virtual memory management)");
  require(location.id >= 0 && location.id < Process::get().device_count(), cudaErrorInvalidDevice,
          "there is no such device");
  return location.id;
}

// The same for memory that is to be made.
void check_properties(const CUmemAllocationProp* properties) {
  require(properties != nullptr, cudaErrorInvalidValue, "no properties of the memory");
  if (properties->type == CU_MEM_ALLOCATION_TYPE_MANAGED) not_supported("managed memory that the program maps");
  require(properties->type == CU_MEM_ALLOCATION_TYPE_PINNED, cudaErrorInvalidValue, "there is no such kind of memory");
  if (properties->requestedHandleTypes != 0)
    not_supported("memory that other processes or libraries share by a handle (CUmemAllocationProp)");
  device_at(properties->location, "memory that the program maps");
}

}  // namespace

HEDDLE_DRIVER_API cuMemGetAllocationGranularity(std::size_t* granularity, const CUmemAllocationProp* properties,
                                                CUmemAllocationGranularity_flags option) {
  HEDDLE_ARGUMENTS(granularity, properties, option);
  return in_context(__func__, [&](Context&) {
    require(granularity != nullptr, cudaErrorInvalidValue, "no place for the number");
    require(option == CU_MEM_ALLOC_GRANULARITY_MINIMUM || option == CU_MEM_ALLOC_GRANULARITY_RECOMMENDED,
            cudaErrorInvalidValue, "there is no such granularity");
    check_properties(properties);
    *granularity = Process::get().virtual_memory.granularity(properties->location.id);
  });
}

HEDDLE_DRIVER_API cuMemAddressReserve(CUdeviceptr* made, std::size_t size, std::size_t alignment, CUdeviceptr wanted,
                                      unsigned long long flags) {
  HEDDLE_ARGUMENTS(made, size, alignment, wanted, flags);
  return in_context(__func__, [&](Context&) {
    require(made != nullptr && flags == 0, cudaErrorInvalidValue,
            "no place for the address, or flags, of which there "
            "are none");
    *made = Process::get().virtual_memory.reserve(size, alignment, wanted);
  });
}
HEDDLE_DRIVER_API cuMemAddressFree(CUdeviceptr p, std::size_t size) {
  HEDDLE_ARGUMENTS(p, size);
  return in_context(__func__, [&](Context&) { Process::get().virtual_memory.free(p, size); });
}

HEDDLE_DRIVER_API cuMemCreate(CUmemGenericAllocationHandle* made, std::size_t size,
                              const CUmemAllocationProp* properties, unsigned long long flags) {
  HEDDLE_ARGUMENTS(made, size, properties, flags);
  return in_context(__func__, [&](Context&) {
    require(made != nullptr && flags == 0, cudaErrorInvalidValue,
            "no place for the handle, or flags, of which there "
            "are none");
    check_properties(properties);
    *made = Process::get().virtual_memory.create(size, *properties);
  });
}
HEDDLE_DRIVER_API cuMemRelease(CUmemGenericAllocationHandle handle) {
  HEDDLE_ARGUMENTS(handle);
  return in_context(__func__, [&](Context&) { Process::get().virtual_memory.release(handle); });
}
HEDDLE_DRIVER_API cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* p) {
  HEDDLE_ARGUMENTS(handle, p);
  return in_context(__func__, [&](Context&) {
    require(handle != nullptr, cudaErrorInvalidValue, "no place for the handle");
    *handle = Process::get().virtual_memory.retain(address(p));
  });
}
HEDDLE_DRIVER_API cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                         CUmemGenericAllocationHandle handle) {
  HEDDLE_ARGUMENTS(properties, handle);
  return in_context(__func__, [&](Context&) {
    require(properties != nullptr, cudaErrorInvalidValue, "no place for the properties");
    *properties = Process::get().virtual_memory.properties(handle);
  });
}

HEDDLE_DRIVER_API cuMemMap(CUdeviceptr p, std::size_t size, std::size_t offset, CUmemGenericAllocationHandle handle,
                           unsigned long long flags) {
  HEDDLE_ARGUMENTS(p, size, offset, handle, flags);
  return in_context(__func__, [&](Context&) {
    require(offset == 0 && flags == 0, cudaErrorInvalidValue, "an offset or flags, which must be 0");
    Process::get().virtual_memory.map(p, size, handle);
  });
}
HEDDLE_DRIVER_API cuMemUnmap(CUdeviceptr p, std::size_t size) {
  HEDDLE_ARGUMENTS(p, size);
  return in_context(__func__, [&](Context& context) {
    context.synchronize();  // beside the devices' own contexts
    Process::get().virtual_memory.unmap(p, size);
  });
}

HEDDLE_DRIVER_API cuMemSetAccess(CUdeviceptr p, std::size_t size, const CUmemAccessDesc* places, std::size_t count) {
  HEDDLE_ARGUMENTS(p, size, places, count);
  return in_context(__func__, [&](Context&) {
    require(places != nullptr && count > 0, cudaErrorInvalidValue, "nobody who may access the memory");
    for (std::size_t i = 0; i < count; ++i) {
      const CUmemAccess_flags flags = places[i].flags;
      require(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                  flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
              cudaErrorInvalidValue, "there is no such access");
      device_at(places[i].location, "access to memory that the program maps");
    }
    for (std::size_t i = 0; i < count; ++i)
      Process::get().virtual_memory.set_access(p, size, places[i].location.id, places[i].flags);
  });
}
HEDDLE_DRIVER_API cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr p) {
  HEDDLE_ARGUMENTS(flags, location, p);
  return in_context(__func__, [&](Context&) {
    require(flags != nullptr && location != nullptr, cudaErrorInvalidValue,
            "no place for the access, or of whom it is");
    const int device = device_at(*location, "access to memory that the program maps");
    *flags = static_cast<unsigned long long>(Process::get().virtual_memory.access(p, device));
  });
}
