// Allocation, copies and fills, and what pointers are.
#include <array>
#include <numeric>

#include "cuda_api/driver_support.hpp"

namespace heddle::tests {
namespace {

using DriverMemory = Driver;

TEST_F(DriverMemory, CopiesGoAllWays) {
  std::array<unsigned, 64> out, in = {};
  std::iota(out.begin(), out.end(), 100);
  const CUdeviceptr a = allocate(sizeof out), b = allocate(sizeof out);
  EXPECT_CUDA(cuMemcpyHtoD_v2(a, out.data(), sizeof out));
  EXPECT_CUDA(cuMemcpyDtoD_v2(b, a, sizeof out));
  EXPECT_CUDA(cuMemcpyDtoH_v2(in.data(), b, sizeof in));
  EXPECT_EQ(in, out);
  EXPECT_CUDA(cuMemsetD32_v2(a, 7, 4));
  EXPECT_CUDA(cuMemsetD16_v2(a + 16, 0x0102, 2));
  EXPECT_CUDA(cuMemsetD8_v2(a + 20, 0xAB, 4));
  EXPECT_EQ(read(a, 7), (std::vector<unsigned>{7, 7, 7, 7, 0x01020102, 0xABABABAB, 106}));
  EXPECT_CUDA(cuMemcpy(b, a, 8));
  EXPECT_EQ(read(b, 3), (std::vector<unsigned>{7, 7, 102}));
  EXPECT_EQ(cuMemsetD32_v2(a + 1, 7, 4), CUDA_ERROR_INVALID_VALUE);           // not aligned
  EXPECT_EQ(cuMemcpyHtoD_v2(a, out.data(), 4096), CUDA_ERROR_INVALID_VALUE);  // too long
  EXPECT_EQ(cuMemcpyHtoD_v2(1, out.data(), 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemFree_v2(a));
  EXPECT_CUDA(cuMemFree_v2(b));
  EXPECT_EQ(cuMemFree_v2(b), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemFree_v2(0));
  CUdeviceptr none = 0;
  EXPECT_EQ(cuMemAlloc_v2(&none, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverMemory, BoxesAreCopied) {
  std::size_t pitch = 0;
  CUdeviceptr p = 0;
  ASSERT_CUDA(cuMemAllocPitch_v2(&p, &pitch, 24, 4, 4));
  EXPECT_GE(pitch, 24u);
  EXPECT_CUDA(cuMemsetD2D32_v2(p, pitch, 9, 6, 4));
  std::array<unsigned, 6> rows = {1, 2, 3, 4, 5, 6};  // two rows of three
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = rows.data();
  copy.srcPitch = 12;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = p;
  copy.dstPitch = pitch;
  copy.dstXInBytes = 4;
  copy.dstY = 1;
  copy.WidthInBytes = 12;
  copy.Height = 2;
  EXPECT_CUDA(cuMemcpy2D_v2(&copy));
  EXPECT_EQ(read(p + pitch, 6), (std::vector<unsigned>{9, 1, 2, 3, 9, 9}));
  EXPECT_EQ(read(p + 2 * pitch, 6), (std::vector<unsigned>{9, 4, 5, 6, 9, 9}));
  EXPECT_EQ(read(p + 3 * pitch, 2), (std::vector<unsigned>{9, 9}));
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_HANDLE);  // there is no array
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.WidthInBytes = 16;  // wider than the source's rows
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE);

  // One plane of 2 x 2 words out of two planes of 3 x 3.
  std::array<unsigned, 18> cube;
  std::iota(cube.begin(), cube.end(), 0);
  const CUdeviceptr q = allocate(16);
  CUDA_MEMCPY3D box = {};
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = cube.data();
  box.srcPitch = 12;
  box.srcHeight = 3;
  box.srcXInBytes = 4;
  box.srcY = 1;
  box.srcZ = 1;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.dstDevice = q;
  box.WidthInBytes = 8;
  box.Height = 2;
  box.Depth = 1;
  EXPECT_CUDA(cuMemcpy3D_v2(&box));
  EXPECT_EQ(read(q, 4), (std::vector<unsigned>{13, 14, 16, 17}));
}

// Of sums and products of 64 bits.
TEST_F(DriverMemory, PlacesInBoxesDoNotWrap) {
  std::array<unsigned, 64> host{};
  const CUdeviceptr p = allocate(64);
  CUDA_MEMCPY3D box = {};
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = host.data() + 32;
  box.srcPitch = 16;
  box.srcHeight = 4;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.dstDevice = p;
  box.WidthInBytes = 16;
  box.Height = 2;
  box.Depth = 1;
  EXPECT_CUDA(cuMemcpy3D_v2(&box));
  constexpr std::size_t most = ~std::size_t{0};
  const auto with = [&](std::size_t CUDA_MEMCPY3D::* field, std::size_t value) {
    CUDA_MEMCPY3D wrong = box;
    wrong.*field = value;
    return cuMemcpy3D_v2(&wrong);
  };
  EXPECT_EQ(with(&CUDA_MEMCPY3D::srcXInBytes, most - 15), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with(&CUDA_MEMCPY3D::dstXInBytes, most - 15), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with(&CUDA_MEMCPY3D::srcY, most), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with(&CUDA_MEMCPY3D::srcZ, std::size_t{1} << 58), CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMCPY2D flat = {};
  flat.srcMemoryType = CU_MEMORYTYPE_HOST;
  flat.srcHost = host.data() + 32;
  flat.srcPitch = 16;
  flat.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  flat.dstDevice = p;
  flat.WidthInBytes = 16;
  flat.Height = 1;
  flat.srcXInBytes = most - 15;
  EXPECT_EQ(cuMemcpy2D_v2(&flat), CUDA_ERROR_INVALID_VALUE);
  flat.srcXInBytes = 0;
  flat.srcY = std::size_t{1} << 60;
  EXPECT_EQ(cuMemcpy2D_v2(&flat), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32_v2(p, 0, std::size_t{1} << 62), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD2D32_v2(p, 16, 0, std::size_t{1} << 62, 2), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverMemory, OfNobodyIsNotRegistered) {
  std::vector<unsigned> own(1024);
  EXPECT_EQ(cuMemHostRegister(reinterpret_cast<void*>(std::size_t{8}), 4096, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostRegister(own.data(), std::size_t{1} << 60, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CUDA(cuMemHostRegister(own.data(), 4096, 0));
  EXPECT_CUDA(cuMemHostUnregister(own.data()));
}

TEST_F(DriverMemory, PointersSayWhatTheyAre) {
  const CUdeviceptr p = allocate(256);
  void* host = nullptr;
  ASSERT_CUDA(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_PORTABLE));
  unsigned type = 0;
  CUcontext owner = nullptr;
  int ordinal = -1, managed = -1;
  EXPECT_CUDA(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 8));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_CUDA(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p));
  EXPECT_EQ(owner, context);
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void* places[] = {&type, &ordinal, &managed};
  EXPECT_CUDA(cuPointerGetAttributes(3, asked, places, reinterpret_cast<CUdeviceptr>(host)));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_HOST});
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(managed, 0);
  int unknown = 5;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&unknown)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuPointerGetAttributes(3, asked, places, reinterpret_cast<CUdeviceptr>(&unknown)));
  EXPECT_EQ(type, 0u);
  CUdeviceptr base = 0;
  std::size_t size = 0;
  EXPECT_CUDA(cuMemGetAddressRange_v2(&base, &size, p + 100));
  EXPECT_EQ(base, p);
  EXPECT_EQ(size, 256u);
  unsigned flags = 0;
  EXPECT_CUDA(cuMemHostGetFlags(&flags, host));
  EXPECT_EQ(flags & CU_MEMHOSTALLOC_PORTABLE, unsigned{CU_MEMHOSTALLOC_PORTABLE});
  CUdeviceptr reached = 0;
  EXPECT_CUDA(cuMemHostGetDevicePointer_v2(&reached, host, 0));
  EXPECT_EQ(cuMemFree_v2(reinterpret_cast<CUdeviceptr>(host)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CUDA(cuMemFreeHost(host));
  EXPECT_EQ(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::tests
