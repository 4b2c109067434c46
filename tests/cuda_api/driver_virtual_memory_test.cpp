// Memory that the program maps: ranges of addresses, memory, and what lies where.
#include <numeric>

#include "cuda_api/driver_support.hpp"

namespace heddle::tests {
namespace {

class VirtualMemory : public Driver {
 protected:
  void SetUp() override {
    Driver::SetUp();
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    ASSERT_CUDA(cuMemGetAllocationGranularity(&grain, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  }
  CUdeviceptr reserve(std::size_t size, CUdeviceptr wanted = 0) {
    CUdeviceptr p = 0;
    EXPECT_CUDA(cuMemAddressReserve(&p, size, 0, wanted, 0));
    return p;
  }
  CUmemGenericAllocationHandle create(std::size_t size) {
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_CUDA(cuMemCreate(&handle, size, &properties, 0));
    return handle;
  }
  CUresult allow(CUdeviceptr p, std::size_t size, CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, device}, flags};
    return cuMemSetAccess(p, size, &access, 1);
  }
  // Runs add for 32 threads; says how it went.
  CUresult add(CUdeviceptr p, unsigned value) {
    void* arguments[] = {&p, &value};
    const CUfunction kernel = function(load(add_ptx), "add");
    EXPECT_CUDA(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    return cuCtxSynchronize();
  }

  CUmemAllocationProp properties = {};
  std::size_t grain = 0;
};

TEST_F(VirtualMemory, IsAnnounced) {
  int has = 0;
  EXPECT_CUDA(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
  EXPECT_EQ(has, 1);
  EXPECT_CUDA(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, device));
  EXPECT_EQ(has, 0);
  EXPECT_GE(grain, 4096u);
}

TEST_F(VirtualMemory, IsOneMemoryAtTwoPlaces) {
  const CUdeviceptr p = reserve(2 * grain), q = reserve(grain);
  const auto handle = create(grain);
  EXPECT_CUDA(cuMemMap(p + grain, grain, 0, handle, 0));
  EXPECT_CUDA(cuMemMap(q, grain, 0, handle, 0));
  EXPECT_CUDA(cuMemRelease(handle));  // it stays while it is mapped
  EXPECT_CUDA(allow(p + grain, grain));
  EXPECT_CUDA(allow(q, grain));
  EXPECT_EQ(read(q, 4), std::vector<unsigned>(4, 0));
  EXPECT_CUDA(cuMemsetD32_v2(p + grain, 5, 32));
  EXPECT_CUDA(add(q, 3));
  EXPECT_EQ(read(p + grain, 33).front(), 8u);
  EXPECT_EQ(read(p + grain, 33).back(), 0u);
  EXPECT_CUDA(cuMemUnmap(q, grain));
  EXPECT_EQ(read(p + grain, 32), std::vector<unsigned>(32, 8));
  EXPECT_EQ(cuMemcpyHtoD_v2(q, &grain, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemUnmap(p + grain, grain));
  EXPECT_CUDA(cuMemAddressFree(p, 2 * grain));
  EXPECT_CUDA(cuMemAddressFree(q, grain));
}

// As arrays grow: more memory behind what there is.
TEST_F(VirtualMemory, NeighboursAreOnePiece) {
  const CUdeviceptr p = reserve(3 * grain);
  for (int i = 0; i < 2; ++i) {
    const auto handle = create(grain);
    EXPECT_CUDA(cuMemMap(p + i * grain, grain, 0, handle, 0));
    EXPECT_CUDA(cuMemRelease(handle));
  }
  EXPECT_CUDA(allow(p, 2 * grain));
  std::vector<unsigned> numbers(2 * grain / 4);
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_CUDA(cuMemcpyHtoD_v2(p, numbers.data(), 2 * grain));
  EXPECT_CUDA(add(p + grain - 64, 1));
  for (unsigned i = 0; i < 32; ++i) ++numbers[grain / 4 - 16 + i];
  EXPECT_EQ(read(p, numbers.size()), numbers);
  CUdeviceptr begin = 0;
  std::size_t size = 0;
  EXPECT_CUDA(cuMemGetAddressRange_v2(&begin, &size, p + grain));
  EXPECT_EQ(begin, p);
  EXPECT_EQ(size, 2 * grain);
  EXPECT_EQ(cuMemFree_v2(p), CUDA_ERROR_INVALID_VALUE);
  const auto handle = create(grain);
  EXPECT_CUDA(cuMemMap(p + 2 * grain, grain, 0, handle, 0));
  EXPECT_EQ(cuMemsetD32_v2(p, 1, 3 * grain / 4), CUDA_ERROR_INVALID_VALUE);  // nobody may access the last third
  EXPECT_CUDA(allow(p + 2 * grain, grain));
  EXPECT_CUDA(cuMemsetD32_v2(p, 1, 3 * grain / 4));
  EXPECT_CUDA(cuMemUnmap(p, 3 * grain));
  EXPECT_CUDA(cuMemRelease(handle));
  EXPECT_CUDA(cuMemAddressFree(p, 3 * grain));
}

TEST_F(VirtualMemory, HandlesAreCounted) {
  const CUdeviceptr p = reserve(grain);
  const auto handle = create(grain);
  properties.allocFlags.compressionType = 1;
  const auto compressed = create(grain);
  CUmemAllocationProp asked = {};
  EXPECT_CUDA(cuMemGetAllocationPropertiesFromHandle(&asked, compressed));
  EXPECT_EQ(asked.allocFlags.compressionType, 1);
  EXPECT_EQ(asked.location.id, device);
  EXPECT_CUDA(cuMemRelease(compressed));
  EXPECT_EQ(cuMemRelease(compressed), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemMap(p, grain, 0, handle, 0));
  CUmemGenericAllocationHandle again = 0;
  EXPECT_CUDA(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(p + 8)));
  EXPECT_EQ(again, handle);
  EXPECT_CUDA(cuMemRelease(handle));
  EXPECT_CUDA(cuMemRelease(handle));
  EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(p)));  // it is still mapped
  EXPECT_CUDA(cuMemUnmap(p, grain));
  EXPECT_CUDA(cuMemMap(p, grain, 0, again, 0));
  EXPECT_CUDA(cuMemUnmap(p, grain));
  EXPECT_CUDA(cuMemRelease(again));
  EXPECT_EQ(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(p)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemAddressFree(p, grain));
}

TEST_F(VirtualMemory, AccessIsAsItWasSet) {
  const CUdeviceptr p = reserve(grain);
  const auto handle = create(grain);
  EXPECT_CUDA(cuMemMap(p, grain, 0, handle, 0));
  const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  unsigned long long flags = 7;
  EXPECT_CUDA(cuMemGetAccess(&flags, &here, p));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  EXPECT_CUDA(allow(p, grain, CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT_CUDA(cuMemGetAccess(&flags, &here, p));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
  EXPECT_EQ(read(p, 2), std::vector<unsigned>(2, 0));
  EXPECT_CUDA(allow(p, grain));
  EXPECT_CUDA(add(p, 4));
  EXPECT_CUDA(allow(p, grain, CU_MEM_ACCESS_FLAGS_PROT_NONE));
  EXPECT_EQ(cuMemsetD32_v2(p, 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(allow(p, grain));
  EXPECT_EQ(read(p, 1), std::vector<unsigned>(1, 4));
  EXPECT_CUDA(cuMemUnmap(p, grain));
  EXPECT_CUDA(cuMemRelease(handle));
  EXPECT_CUDA(cuMemAddressFree(p, grain));
}

// Each ends its context.
TEST_F(VirtualMemory, KernelsMayNotAccessWhatNobodyMay) {
  const CUdeviceptr p = reserve(grain);
  EXPECT_EQ(add(p, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
}
TEST_F(VirtualMemory, KernelsMayNotAccessWhatIsMappedOnly) {
  const CUdeviceptr p = reserve(grain);
  EXPECT_CUDA(cuMemMap(p, grain, 0, create(grain), 0));
  EXPECT_EQ(add(p, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
}
TEST_F(VirtualMemory, KernelsMayNotWriteWhatIsToBeRead) {
  const CUdeviceptr p = reserve(grain);
  EXPECT_CUDA(cuMemMap(p, grain, 0, create(grain), 0));
  EXPECT_CUDA(allow(p, grain, CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT_EQ(add(p, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(VirtualMemory, WhatIsWrongIsRefused) {
  CUdeviceptr p = 0;
  EXPECT_EQ(cuMemAddressReserve(&p, grain + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&p, grain, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  p = reserve(4 * grain);
  EXPECT_EQ(p % grain, 0u);
  const CUdeviceptr other = reserve(grain, p);  // taken: another place
  EXPECT_NE(other, p);
  EXPECT_CUDA(cuMemAddressFree(other, grain));
  EXPECT_EQ(cuMemAddressFree(p, grain), CUDA_ERROR_INVALID_VALUE);
  const auto handle = create(2 * grain);
  EXPECT_EQ(cuMemMap(p, grain, grain, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(p, 3 * grain, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(p + 3 * grain, 2 * grain, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(p, grain, 0, handle + 77, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemMap(p + grain, 2 * grain, 0, handle, 0));
  EXPECT_EQ(cuMemMap(p, 2 * grain, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(p + 2 * grain, grain, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allow(p, 4 * grain), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allow(p + grain, grain), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(p + grain, grain), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(p, 4 * grain), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemUnmap(p + grain, 2 * grain));
  EXPECT_CUDA(cuMemAddressFree(p, 4 * grain));
  EXPECT_CUDA(cuMemRelease(handle));
  CUmemGenericAllocationHandle none = 0;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  EXPECT_EQ(cuMemCreate(&none, grain, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
  properties.location.id = 1000;
  EXPECT_EQ(cuMemCreate(&none, grain, &properties, 0), CUDA_ERROR_INVALID_DEVICE);
  properties.location.id = device;
  EXPECT_EQ(cuMemCreate(&none, (std::size_t{1} << 50), &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
  int file = -1;
  EXPECT_EQ(cuMemExportToShareableHandle(&file, none, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace heddle::tests
