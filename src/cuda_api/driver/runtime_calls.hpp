// The functions of the runtime API that those of the driver API use. They are in the same library, hidden.
#pragma once

#include "cuda_api/abi/launch.hpp"
#include "cuda_api/abi/runtime.hpp"

extern "C" {
cudaError_t cudaMallocPitch(void** p, std::size_t* pitch, std::size_t width, std::size_t height);
cudaError_t cudaMalloc(void** p, std::size_t size);
cudaError_t cudaFree(void* p);
cudaError_t cudaHostAlloc(void** p, std::size_t size, unsigned flags);
cudaError_t cudaFreeHost(void* p);
cudaError_t cudaMallocManaged(void** p, std::size_t size, unsigned flags);
cudaError_t cudaMallocAsync(void** p, std::size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream);
cudaError_t cudaHostRegister(void* p, std::size_t size, unsigned flags);
cudaError_t cudaHostUnregister(void* p);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned* flags, void* host);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* p, std::size_t size, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int id, heddle::cuda_api::abi::AttributeValue* value);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int id, const heddle::cuda_api::abi::AttributeValue* value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags);
cudaError_t cudaDeviceGetLimit(std::size_t* value, int limit);
cudaError_t cudaDeviceSetLimit(int limit, std::size_t value);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t work, void* data);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
}
