// Declarations of the CUDA runtime API, so that files with host code compile for the device. Heddle compiles the device part
// alone; the functions are not defined here.
#pragma once
#pragma clang system_header

#include "graph_api.h"
#include "runtime_types.h"

extern "C" {
// What a kernel<<<...>>>(...) expression becomes.
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, __SIZE_TYPE__ shared = 0, struct CUstream_st* stream = 0);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, __SIZE_TYPE__* shared, void* stream);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, __SIZE_TYPE__ shared = 0, cudaStream_t stream = 0);

// Devices.
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, __SIZE_TYPE__ value);
cudaError_t cudaDeviceGetLimit(__SIZE_TYPE__* value, cudaLimit limit);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaThreadSynchronize();
cudaError_t cudaThreadExit();
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

// Errors.
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

// Memory.
cudaError_t cudaMallocPitch(void** p, __SIZE_TYPE__* pitch, __SIZE_TYPE__ width, __SIZE_TYPE__ height);
cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent);
cudaError_t cudaMallocHost(void** p, __SIZE_TYPE__ size);
cudaError_t cudaHostAlloc(void** p, __SIZE_TYPE__ size, unsigned int flags);
cudaError_t cudaHostRegister(void* p, __SIZE_TYPE__ size, unsigned int flags);
cudaError_t cudaHostUnregister(void* p);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags);
cudaError_t cudaMallocManaged(void** p, __SIZE_TYPE__ size, unsigned int flags = cudaMemAttachGlobal);
cudaError_t cudaMallocAsync(void** p, __SIZE_TYPE__ size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream);
cudaError_t cudaFreeHost(void* p);
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, __SIZE_TYPE__ width,
                            __SIZE_TYPE__ height = 0, unsigned int flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned int flags = 0);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemGetInfo(__SIZE_TYPE__* free, __SIZE_TYPE__* total);
cudaError_t cudaMemcpy(void* to, const void* from, __SIZE_TYPE__ size, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2D(void* to, __SIZE_TYPE__ to_pitch, const void* from, __SIZE_TYPE__ from_pitch, __SIZE_TYPE__ width,
                         __SIZE_TYPE__ height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, __SIZE_TYPE__ to_pitch, const void* from, __SIZE_TYPE__ from_pitch,
                              __SIZE_TYPE__ width, __SIZE_TYPE__ height, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, __SIZE_TYPE__ size);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, __SIZE_TYPE__ size,
                                cudaStream_t stream = 0);
cudaError_t cudaMemcpyToArray(cudaArray_t to, __SIZE_TYPE__ x, __SIZE_TYPE__ y, const void* from, __SIZE_TYPE__ size,
                              cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, __SIZE_TYPE__ x, __SIZE_TYPE__ y, const void* from, __SIZE_TYPE__ pitch,
                                __SIZE_TYPE__ width, __SIZE_TYPE__ height, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* p, int value, __SIZE_TYPE__ size);
cudaError_t cudaMemset2D(void* p, __SIZE_TYPE__ pitch, int value, __SIZE_TYPE__ width, __SIZE_TYPE__ height);
cudaError_t cudaMemPrefetchAsync(const void* p, __SIZE_TYPE__ size, int device, cudaStream_t stream = 0);
cudaError_t cudaMemAdvise(const void* p, __SIZE_TYPE__ size, cudaMemoryAdvise advice, int device);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p);

// Streams and events.
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* p, __SIZE_TYPE__ size = 0, unsigned int flags = 4);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t f, void* data);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);

// Launches.
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, __SIZE_TYPE__ shared,
                             cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, __SIZE_TYPE__ shared,
                                        cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments);
cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig config);
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);

// Textures and surfaces.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);

// These may be called in device code too in CUDA, where dynamic parallelism runs them. Heddle has them for the host alone;
// used in device code they give an error that names them.
cudaError_t cudaMalloc(void** p, __SIZE_TYPE__ size);
cudaError_t cudaFree(void* p);
cudaError_t cudaGetLastError();
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMemcpyAsync(void* to, const void* from, __SIZE_TYPE__ size, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemsetAsync(void* p, int value, __SIZE_TYPE__ size, cudaStream_t stream = 0);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// CUDA's own math functions are host functions as well.
float rsqrtf(float), rcbrtf(float), sinpif(float), cospif(float), erfinvf(float), erfcinvf(float), erfcxf(float);
float normcdff(float), normcdfinvf(float), cyl_bessel_i0f(float), cyl_bessel_i1f(float);
float rhypotf(float, float), norm3df(float, float, float), norm4df(float, float, float, float);
double rsqrt(double), rcbrt(double), sinpi(double), cospi(double), erfinv(double), erfcinv(double), erfcx(double);
double normcdf(double), normcdfinv(double), cyl_bessel_i0(double), cyl_bessel_i1(double);
double rhypot(double, double), norm3d(double, double, double), norm4d(double, double, double, double);
void sincospif(float, float*, float*);
void sincospi(double, double*, double*);
}

inline cudaExtent make_cudaExtent(__SIZE_TYPE__ w, __SIZE_TYPE__ h, __SIZE_TYPE__ d) { return {w, h, d}; }
inline cudaPos make_cudaPos(__SIZE_TYPE__ x, __SIZE_TYPE__ y, __SIZE_TYPE__ z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* p, __SIZE_TYPE__ pitch, __SIZE_TYPE__ x, __SIZE_TYPE__ y) {
  return {p, pitch, x, y};
}

// Forms for typed pointers, symbols and kernels.
template <typename T>
cudaError_t cudaMalloc(T** p, __SIZE_TYPE__ size) { return ::cudaMalloc(reinterpret_cast<void**>(p), size); }
template <typename T>
cudaError_t cudaMallocHost(T** p, __SIZE_TYPE__ size, unsigned int = 0) {
  return ::cudaMallocHost(reinterpret_cast<void**>(p), size);
}
template <typename T>
cudaError_t cudaHostAlloc(T** p, __SIZE_TYPE__ size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(p), size, flags);
}
template <typename T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <typename T>
cudaError_t cudaMallocManaged(T** p, __SIZE_TYPE__ size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(p), size, flags);
}
template <typename T>
cudaError_t cudaMallocAsync(T** p, __SIZE_TYPE__ size, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(p), size, stream);
}
template <typename T>
cudaError_t cudaMallocPitch(T** p, __SIZE_TYPE__* pitch, __SIZE_TYPE__ width, __SIZE_TYPE__ height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(p), pitch, width, height);
}
extern "C" cudaError_t __heddle_symbol_copy(const void* symbol, void* host, __SIZE_TYPE__ size, __SIZE_TYPE__ offset,
                                            cudaMemcpyKind kind, cudaStream_t stream);
extern "C" cudaError_t __heddle_symbol_address(void** p, __SIZE_TYPE__* size, const void* symbol);
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, __SIZE_TYPE__ size, __SIZE_TYPE__ offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return __heddle_symbol_copy(&symbol, const_cast<void*>(from), size, offset, kind, 0);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, __SIZE_TYPE__ size, __SIZE_TYPE__ offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return __heddle_symbol_copy(&symbol, const_cast<void*>(from), size, offset, kind, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, __SIZE_TYPE__ size, __SIZE_TYPE__ offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return __heddle_symbol_copy(&symbol, to, size, offset, kind, 0);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, __SIZE_TYPE__ size, __SIZE_TYPE__ offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return __heddle_symbol_copy(&symbol, to, size, offset, kind, stream);
}
template <typename T>
cudaError_t cudaGetSymbolAddress(void** p, const T& symbol) {
  return __heddle_symbol_address(p, nullptr, &symbol);
}
template <typename T>
cudaError_t cudaGetSymbolSize(__SIZE_TYPE__* size, const T& symbol) {
  return __heddle_symbol_address(nullptr, size, &symbol);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
template <typename T>
cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments, __SIZE_TYPE__ shared = 0,
                             cudaStream_t stream = 0) {
  return ::cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}
template <typename T>
cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments, __SIZE_TYPE__ shared = 0,
                                        cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}
template <typename... Expected, typename... Actual>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Expected...), Actual&&... arguments) {
  return [&](Expected... values) {
    void* pointers[] = {&values..., nullptr};
    return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), pointers);
  }(static_cast<Expected>(arguments)...);
}
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
extern "C" cudaError_t __heddle_function_attributes(cudaFuncAttributes* attributes, const void* kernel);
template <typename T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return __heddle_function_attributes(attributes, reinterpret_cast<const void*>(kernel));
}
extern "C" cudaError_t __heddle_occupancy(int* blocks, const void* kernel, int block, __SIZE_TYPE__ shared);
template <typename T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T* kernel, int block, __SIZE_TYPE__ shared) {
  return __heddle_occupancy(blocks, reinterpret_cast<const void*>(kernel), block, shared);
}
extern "C" cudaError_t __heddle_best_block(int* grid, int* block, const void* kernel, __SIZE_TYPE__ shared, int limit);
template <typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel, __SIZE_TYPE__ shared = 0, int limit = 0) {
  return __heddle_best_block(grid, block, reinterpret_cast<const void*>(kernel), shared, limit);
}
template <typename T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  const bool real = __is_same(T, float) || __is_same(T, float2) || __is_same(T, float4);
  return ::cudaCreateChannelDesc(8 * (sizeof(T) < 4 ? sizeof(T) : 4), 0, 0, 0,
                                 real ? cudaChannelFormatKindFloat : cudaChannelFormatKindSigned);
}
