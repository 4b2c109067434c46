// The C++ forms of the runtime's functions: typed pointers, symbols and kernels in place of void pointers.
#pragma once
#pragma GCC system_header

#include "runtime_functions.h"

inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  cudaExtent made = {w, h, d};
  return made;
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  cudaPos made = {x, y, z};
  return made;
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t x, size_t y) {
  cudaPitchedPtr made = {p, pitch, x, y};
  return made;
}

// Memory.
template <typename T>
cudaError_t cudaMalloc(T** p, size_t size) { return ::cudaMalloc(reinterpret_cast<void**>(p), size); }
inline cudaError_t cudaMallocHost(void** p, size_t size, unsigned int flags) { return ::cudaHostAlloc(p, size, flags); }
template <typename T>
cudaError_t cudaMallocHost(T** p, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(p), size, flags);
}
template <typename T>
cudaError_t cudaHostAlloc(T** p, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(p), size, flags);
}
template <typename T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <typename T>
cudaError_t cudaMallocManaged(T** p, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(p), size, flags);
}
template <typename T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* p, size_t size = 0, unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, static_cast<void*>(p), size, flags);
}
template <typename T>
cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(p), pitch, width, height);
}
template <typename T>
cudaError_t cudaMallocAsync(T** p, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(p), size, stream);
}
inline cudaError_t cudaMallocAsync(void** p, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(p, size, pool, stream);
}
template <typename T>
cudaError_t cudaMallocAsync(T** p, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(p), size, pool, stream);
}
template <typename T>
cudaError_t cudaMallocFromPoolAsync(T** p, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(p), size, pool, stream);
}
// As CUDA 13 has them.
inline cudaError_t cudaMemPrefetchAsync(const void* p, size_t size, cudaMemLocation place, unsigned int flags,
                                        cudaStream_t stream = 0) {
  return ::cudaMemPrefetchAsync_v2(p, size, place, flags, stream);
}
inline cudaError_t cudaMemAdvise(const void* p, size_t size, cudaMemoryAdvise advice, cudaMemLocation place) {
  return ::cudaMemAdvise_v2(p, size, advice, place);
}

// Variables of the device, which may be volatile.
template <typename T>
const void* __heddle_symbol(const T& symbol) {
  return const_cast<const void*>(static_cast<const volatile void*>(&symbol));
}
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t size, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(__heddle_symbol(symbol), from, size, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t size, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync(__heddle_symbol(symbol), from, size, offset, kind, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, __heddle_symbol(symbol), size, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t size, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(to, __heddle_symbol(symbol), size, offset, kind, stream);
}
template <typename T>
cudaError_t cudaGetSymbolAddress(void** p, const T& symbol) {
  return ::cudaGetSymbolAddress(p, __heddle_symbol(symbol));
}
template <typename T>
cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, __heddle_symbol(symbol));
}

// Events and graphs.
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
  return ::cudaGraphInstantiate(exec, graph, 0);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* node,
                                       cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  info.result = cudaGraphExecUpdateError;
  const cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
  if (node != nullptr) *node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}
template <typename T>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* behind,
                                           size_t count, const T& symbol, const void* from, size_t size, size_t offset,
                                           cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, behind, count, __heddle_symbol(symbol), from, size,
                                          offset, kind);
}
template <typename T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* behind,
                                             size_t count, void* to, const T& symbol, size_t size, size_t offset,
                                             cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, behind, count, to, __heddle_symbol(symbol), size,
                                            offset, kind);
}

// Launches and kernels.
template <typename T>
cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = 0) {
  return ::cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}
template <typename T>
cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                        cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}
#if __cplusplus >= 201103L
template <typename... Expected, typename... Actual>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Expected...), Actual&&... arguments) {
  return [&](Expected... values) {
    void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&values))..., nullptr};
    return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), pointers);
  }(static_cast<Expected>(arguments)...);
}
#endif
template <typename T>
cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config);
}
template <typename T>
cudaError_t cudaFuncSetSharedMemConfig(T* kernel, cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(kernel), config);
}
template <typename T>
cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <typename T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <typename T>
cudaError_t cudaFuncGetName(const char** name, T* kernel) {
  return ::cudaFuncGetName(name, reinterpret_cast<const void*>(kernel));
}
template <typename T>
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, T* kernel) {
  return ::cudaGetFuncBySymbol(function, reinterpret_cast<const void*>(kernel));
}
template <typename T>
cudaError_t cudaGetKernel(cudaKernel_t* handle, T* kernel) {
  return ::cudaGetKernel(handle, reinterpret_cast<const void*>(kernel));
}

// Occupancy.
template <typename T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int block, size_t shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void*>(kernel), block,
                                                                  shared, cudaOccupancyDefault);
}
template <typename T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T kernel, int block, size_t shared,
                                                                   unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void*>(kernel), block,
                                                                  shared, flags);
}
template <typename T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* shared, T* kernel, int blocks, int block) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared, reinterpret_cast<const void*>(kernel), blocks, block);
}
template <typename T>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, T* kernel, const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxPotentialClusterSize(size, reinterpret_cast<const void*>(kernel), config);
}
template <typename T>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, T* kernel, const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void*>(kernel), config);
}
// The block size, a multiple of a warp, that keeps the most threads on a multiprocessor, the largest of such; and how
// many blocks of it fill the device. `shared` gives a block size's bytes of dynamic shared memory.
template <typename Shared, typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, T kernel, Shared shared,
                                                                    int limit = 0, unsigned int flags = 0) {
  int device = 0, processors = 0, warp = 0, most = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = ::cudaGetDevice(&device);
  if (error == cudaSuccess) error = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (error == cudaSuccess) error = ::cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device);
  if (error == cudaSuccess) error = ::cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  if (error != cudaSuccess) return error;
  if (attributes.maxThreadsPerBlock < most) most = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < most) most = limit;
  int best_threads = 0;
  *grid = *block = 0;
  for (int size = most; size > 0; size = (size - 1) / warp * warp) {
    int blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, reinterpret_cast<const void*>(kernel), size,
                                                                     shared(size), flags);
    if (error != cudaSuccess) return error;
    if (blocks * size <= best_threads) continue;
    best_threads = blocks * size;
    *block = size;
    *grid = blocks * processors;
  }
  return cudaSuccess;
}
template <typename Shared, typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T kernel, Shared shared, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, shared, limit);
}
struct __heddle_same_shared {
  size_t bytes;
  size_t operator()(int) const { return bytes; }
};
template <typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, T kernel, size_t shared = 0, int limit = 0,
                                                        unsigned int flags = 0) {
  __heddle_same_shared same = {shared};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, same, limit, flags);
}
template <typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel, size_t shared = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared, limit);
}

// The format of elements of an array: how many components, of how many bits.
template <typename T>
struct __heddle_channels {};
#define __HEDDLE_CHANNEL(T, COUNT, BITS, KIND)                                              \
  template <>                                                                               \
  struct __heddle_channels<T> {                                                             \
    static cudaChannelFormatDesc of() {                                                     \
      return ::cudaCreateChannelDesc(BITS, COUNT > 1 ? BITS : 0, COUNT > 2 ? BITS : 0,      \
                                     COUNT > 3 ? BITS : 0, cudaChannelFormatKind##KIND);    \
    }                                                                                       \
  };
#define __HEDDLE_CHANNELS(T, V, BITS, KIND)                                                        \
  __HEDDLE_CHANNEL(T, 1, BITS, KIND) __HEDDLE_CHANNEL(V##1, 1, BITS, KIND)                         \
  __HEDDLE_CHANNEL(V##2, 2, BITS, KIND) __HEDDLE_CHANNEL(V##3, 3, BITS, KIND) __HEDDLE_CHANNEL(V##4, 4, BITS, KIND)
__HEDDLE_CHANNEL(char, 1, 8, Signed)
__HEDDLE_CHANNELS(signed char, char, 8, Signed)
__HEDDLE_CHANNELS(unsigned char, uchar, 8, Unsigned)
__HEDDLE_CHANNELS(short, short, 16, Signed)
__HEDDLE_CHANNELS(unsigned short, ushort, 16, Unsigned)
__HEDDLE_CHANNELS(int, int, 32, Signed)
__HEDDLE_CHANNELS(unsigned int, uint, 32, Unsigned)
__HEDDLE_CHANNELS(float, float, 32, Float)
#undef __HEDDLE_CHANNELS
#undef __HEDDLE_CHANNEL
template <typename T>
cudaChannelFormatDesc cudaCreateChannelDesc() { return __heddle_channels<T>::of(); }
