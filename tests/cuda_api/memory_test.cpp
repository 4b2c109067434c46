// Memory: allocation, copies, pools, managed memory, and what is refused.
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <utility>

#include "cuda_api/cudart.hpp"

namespace heddle::tests {
namespace {

using namespace cuda_api;

TEST(Memory, WrongPointersAreNotFreed) {
  char local = 0;
  void *device = nullptr, *host = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 100), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&host, 100), cudaSuccess);
  EXPECT_EQ(cudaFree(&local), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(static_cast<char*>(device) + 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  ASSERT_EQ(cudaMalloc(&device, 0), cudaSuccess);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(cudaMalloc(&device, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

// Products of sizes that do not fit into 64 bits, of which the lower bits would be a small size.
TEST(Memory, RowsOfMoreBytesThanAnAddressCanHave) {
  constexpr std::size_t most = ~std::size_t{0}, many = (std::size_t{1} << 55) + 1;
  void* rows = nullptr;
  std::size_t pitch = 7;
  EXPECT_EQ(cudaMallocPitch(&rows, &pitch, most - 10, 2), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocPitch(&rows, &pitch, 512, many), cudaErrorMemoryAllocation);
  EXPECT_EQ(pitch, 7u) << "nothing is written";
  cudaPitchedPtr box{};
  for (const cudaExtent extent :
       {cudaExtent{most, 2, 2}, cudaExtent{1 << 20, 1 << 22, 1 << 22}, cudaExtent{512, many, 1}})
    EXPECT_EQ(cudaMalloc3D(&box, extent), cudaErrorMemoryAllocation) << extent.width;
  EXPECT_EQ(box.ptr, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  ASSERT_EQ(cudaMallocPitch(&rows, &pitch, 100, 3), cudaSuccess);
  EXPECT_EQ(pitch, 512u);
  EXPECT_EQ(cudaFree(rows), cudaSuccess);
}

TEST(Memory, PageableSourcesMayChangeAtOnce) {
  constexpr std::size_t n = 1 << 16;
  cudaStream_t stream = nullptr;
  void* x = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&x, n * 4), cudaSuccess);
  std::vector<int> source(n, 1), back(n);
  ASSERT_EQ(cudaMemcpyAsync(x, source.data(), n * 4, cudaMemcpyHostToDevice, stream), cudaSuccess);
  std::fill(source.begin(), source.end(), 2);
  ASSERT_EQ(cudaMemcpyAsync(back.data(), x, n * 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(std::accumulate(back.begin(), back.end(), 0), int{n});
  EXPECT_EQ(cudaFree(x), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(Memory, CopiesAreChecked) {
  int local[4] = {};
  void* x = nullptr;
  ASSERT_EQ(cudaMalloc(&x, 16), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(x, local, 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(local, local + 1, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(local, x, 4, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemset(local, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(x, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(local, x, 16, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaFree(x), cudaSuccess);
  cudaGetLastError();
}

// Products and sums of 64 bits, of which what is left over is memory that there is.
TEST(Memory, PlacesInBoxesDoNotWrap) {
  constexpr std::size_t most = ~std::size_t{0};
  char host[256] = {};
  void *x = nullptr, *other = nullptr;
  ASSERT_EQ(cudaMalloc(&x, 256), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&other, 256), cudaSuccess);
  cudaMemcpy3DParms p{};
  p.srcPtr = {host + 128, 16, 16, 4};
  p.dstPtr = {x, 16, 16, 4};
  p.extent = {16, 2, 2};
  p.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&p), cudaSuccess);
  for (const cudaPos at : {cudaPos{most, 0, 0}, cudaPos{most - 15, 0, 0}, cudaPos{0, 0, std::size_t{1} << 59},
                           cudaPos{0, std::size_t{1} << 60, 0}, cudaPos{0, most, 0}}) {
    p.srcPos = at;
    EXPECT_EQ(cudaMemcpy3D(&p), cudaErrorInvalidValue) << at.x << ' ' << at.y << ' ' << at.z;
    std::swap(p.srcPos, p.dstPos);
    EXPECT_EQ(cudaMemcpy3D(&p), cudaErrorInvalidValue) << at.x << ' ' << at.y << ' ' << at.z;
    p.srcPos = p.dstPos = {};
  }
  p.srcPtr.pitch = p.srcPtr.ysize = most;
  EXPECT_EQ(cudaMemcpy3D(&p), cudaErrorInvalidValue);
  for (const std::size_t pitch : {std::size_t{1} << 62, most}) {
    EXPECT_EQ(cudaMemcpy2D(x, 16, host, pitch, 16, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy2D(x, pitch, host, 16, 16, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset2D(x, pitch, 0, 16, 5), cudaErrorInvalidValue);
  }
  EXPECT_EQ(cudaMemcpy2D(x, 16, other, 16, 16, std::size_t{1} << 60, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset3D({x, std::size_t{1} << 32, 16, std::size_t{1} << 32}, 0, {16, 1, 2}), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(x), cudaSuccess);
  EXPECT_EQ(cudaFree(other), cudaSuccess);
  cudaGetLastError();
}

TEST(Memory, OfTheHostIsRegisteredOnce) {
  std::vector<int> own(1024);
  ASSERT_EQ(cudaHostRegister(own.data(), 4096, cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(own.data(), 4096, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, own.data() + 3), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaHostUnregister(own.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(own.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostRegister(own.data(), 4096, 64), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, own.data()), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  cudaGetLastError();
}

TEST(Memory, OfNobodyIsNotRegistered) {
  for (const std::size_t where : {std::size_t{8}, std::size_t{4096}, ~std::size_t{0} - 4096})
    EXPECT_EQ(cudaHostRegister(reinterpret_cast<void*>(where), 4096, 0), cudaErrorInvalidValue) << where;
  std::vector<int> own(1024);
  for (const std::size_t size : {std::size_t{1} << 60, ~std::size_t{0}})
    EXPECT_EQ(cudaHostRegister(own.data(), size, 0), cudaErrorInvalidValue) << size;
  EXPECT_EQ(cudaHostUnregister(own.data()), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

TEST(Pools, UseMemoryAgainInAStreamsOrder) {
  const Program program;
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  Gate gate;
  ASSERT_EQ(gate.hold(stream), cudaSuccess);
  std::set<void*> seen;
  for (int i = 0; i < 100; ++i) {  // all behind the gate
    void* x = nullptr;
    ASSERT_EQ(cudaMallocAsync(&x, 4096, stream), cudaSuccess);
    seen.insert(x);
    ASSERT_EQ(program.launch_add(x, 1024, 1, stream), cudaSuccess);
    ASSERT_EQ(cudaFreeAsync(x, stream), cudaSuccess);
  }
  EXPECT_EQ(seen.size(), 1u);
  std::uint64_t bytes = 1;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, 7, &bytes), cudaSuccess);  // used
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, 5, &bytes), cudaSuccess);  // reserved
  EXPECT_EQ(bytes, 4096u);
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, 5, &bytes), cudaSuccess);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(cudaFreeAsync(&bytes, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(Pools, KeepWhatTheyAreTold) {
  abi::MemPoolProps properties{};
  properties.allocation_type = 1;
  properties.location = {abi::MemLocation::device, 0};
  properties.most = 8192;
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  std::uint64_t keep = 4096, bytes = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, 4, &keep), cudaSuccess);
  void *x = nullptr, *y = nullptr, *z = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&x, 4096, pool, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMallocFromPoolAsync(&y, 4096, pool, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMallocFromPoolAsync(&z, 1, pool, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFreeAsync(x, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(y), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, 5, &bytes), cudaSuccess);
  EXPECT_EQ(bytes, 4096u);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, 8, &bytes), cudaSuccess);
  EXPECT_EQ(bytes, 8192u);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  properties.handle_types = 1;
  EXPECT_EQ(cudaMemPoolCreate(&pool, &properties), cudaErrorNotSupported);
  cudaGetLastError();
}

TEST(Managed, MemoryAndVariablesAreTheHostsToo) {
  Program program;
  void* x = nullptr;
  ASSERT_EQ(cudaMallocManaged(&x, 400, cudaMemAttachGlobal), cudaSuccess);
  int* const values = static_cast<int*>(x);
  std::fill(values, values + 100, 7);
  ASSERT_EQ(program.launch_add(x, 100, 1), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(std::accumulate(values, values + 100, 0), 800);
  int place = 5;
  EXPECT_EQ(cudaMemRangeGetAttribute(&place, 4, 2, x, 400), cudaSuccess);
  EXPECT_EQ(place, -2);
  EXPECT_EQ(cudaMemAdvise(x, 400, cudaMemAdviseSetPreferredLocation, 0), cudaSuccess);
  EXPECT_EQ(cudaMemRangeGetAttribute(&place, 4, 2, x, 400), cudaSuccess);
  EXPECT_EQ(place, 0);
  EXPECT_EQ(cudaMemPrefetchAsync(x, 400, -1, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemRangeGetAttribute(&place, 4, 4, x, 400), cudaSuccess);
  EXPECT_EQ(place, -1);
  EXPECT_EQ(cudaMemPrefetchAsync(x, 401, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(x, 400, 99, nullptr), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaFree(x), cudaSuccess);

  int* const variable = program.managed();
  ASSERT_NE(variable, nullptr);
  EXPECT_EQ(*variable, 5);
  *variable = 10;
  ASSERT_EQ(cudaLaunchKernel(program.count_up(), {1}, {1}, nullptr, 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*variable, 11);
  int value = 20;
  EXPECT_EQ(cudaMemcpyToSymbol(variable, &value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(*variable, 20);
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, variable), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(cudaFree(variable), cudaErrorInvalidValue);
  cudaGetLastError();
}

cudaMemoryType type_of(const void* p) {
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, p), cudaSuccess);
  return attributes.type;
}

// A library may be closed and opened again, at the same place or elsewhere.
TEST(Managed, VariablesOfASectionLastAsLongAsTheirCode) {
  std::uint32_t& step = ManagedProgram::section.step;
  void* x = nullptr;
  ASSERT_EQ(cudaMallocManaged(&x, 4, cudaMemAttachGlobal), cudaSuccess);
  auto& value = *static_cast<std::uint32_t*>(x);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(type_of(&step), cudaMemoryTypeUnregistered);
    const ManagedProgram program;
    EXPECT_EQ(step, 1u);
    EXPECT_EQ(type_of(&step), cudaMemoryTypeManaged);
    EXPECT_EQ(cudaMemPrefetchAsync(&step, 4, 0, nullptr), cudaSuccess);
    step = 10;
    value = 5;
    ASSERT_EQ(program.launch_add(x, 1, 2), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(value, 25u);
    const std::uint32_t other = 3;
    ASSERT_EQ(cudaMemcpyToSymbol(&step, &other, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(step, 3u);
    void* address = nullptr;
    ASSERT_EQ(cudaGetSymbolAddress(&address, &step), cudaSuccess);
    EXPECT_EQ(address, &step);
    EXPECT_EQ(cudaFree(&step), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostRegister(&step, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
  }
  EXPECT_EQ(cudaFree(x), cudaSuccess);
  cudaGetLastError();
}

TEST(Copies, InBatches) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  void *x = nullptr, *y = nullptr;
  ASSERT_EQ(cudaMalloc(&x, 8), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&y, 8), cudaSuccess);
  int from[2] = {3, 4}, back[2] = {};
  void *to[] = {x, y, back}, *source[] = {&from[0], x, y};
  std::size_t sizes[] = {4, 4, 4}, first = 0, failed = 7;
  abi::MemcpyAttributes attributes{1, {}, {}, 0};
  EXPECT_EQ(cudaMemcpyBatchAsync(to, source, sizes, 3, &attributes, &first, 1, &failed, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(back[0], 3);
  EXPECT_EQ(cudaMemcpyBatchAsync(to, source, sizes, 3, &attributes, &first, 1, &failed, nullptr),
            cudaErrorInvalidValue);
  sizes[1] = 9;
  EXPECT_EQ(cudaMemcpyBatchAsync(to, source, sizes, 3, &attributes, &first, 1, &failed, stream), cudaErrorInvalidValue);
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(cudaFree(x), cudaSuccess);
  EXPECT_EQ(cudaFree(y), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  cudaGetLastError();
}

TEST(Refused, ByName) {
  EXPECT_EQ(cudaBindTexture(nullptr, nullptr, nullptr, nullptr, 4), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  const void* table = nullptr;
  EXPECT_EQ(cudaGetExportTable(&table, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace heddle::tests
