// The functions of the CUDA driver API, for C and C++: as a program for CUDA 12 knows them. Names and types are CUDA's.
#pragma once

#include "driver_types.h"

// A name stands for the newest form of the function that CUDA 12 takes by that name, and of those that use a stream for
// the form with the thread's own default stream where the program asks for that.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define HEDDLE_PTDS(name) name##_ptds
#define HEDDLE_PTSZ(name) name##_ptsz
#else
#define HEDDLE_PTDS(name) name
#define HEDDLE_PTSZ(name) name
#endif
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuCtxCreate cuCtxCreate_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuEventDestroy cuEventDestroy_v2
#define cuEventRecord HEDDLE_PTSZ(cuEventRecord)
#define cuEventRecordWithFlags HEDDLE_PTSZ(cuEventRecordWithFlags)
#define cuGetProcAddress cuGetProcAddress_v2
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2
#define cuLaunchCooperativeKernel HEDDLE_PTSZ(cuLaunchCooperativeKernel)
#define cuLaunchHostFunc HEDDLE_PTSZ(cuLaunchHostFunc)
#define cuLaunchKernel HEDDLE_PTSZ(cuLaunchKernel)
#define cuLaunchKernelEx HEDDLE_PTSZ(cuLaunchKernelEx)
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocAsync HEDDLE_PTSZ(cuMemAllocAsync)
#define cuMemAllocFromPoolAsync HEDDLE_PTSZ(cuMemAllocFromPoolAsync)
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemDiscardAndPrefetchBatchAsync HEDDLE_PTSZ(cuMemDiscardAndPrefetchBatchAsync)
#define cuMemDiscardBatchAsync HEDDLE_PTSZ(cuMemDiscardBatchAsync)
#define cuMemFree cuMemFree_v2
#define cuMemFreeAsync HEDDLE_PTSZ(cuMemFreeAsync)
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemPrefetchAsync HEDDLE_PTSZ(cuMemPrefetchAsync)
#define cuMemPrefetchBatchAsync HEDDLE_PTSZ(cuMemPrefetchBatchAsync)
#define cuMemcpy HEDDLE_PTDS(cuMemcpy)
#define cuMemcpy2D HEDDLE_PTDS(cuMemcpy2D_v2)
#define cuMemcpy2DAsync HEDDLE_PTSZ(cuMemcpy2DAsync_v2)
#define cuMemcpy2DUnaligned HEDDLE_PTDS(cuMemcpy2DUnaligned_v2)
#define cuMemcpy3D HEDDLE_PTDS(cuMemcpy3D_v2)
#define cuMemcpy3DAsync HEDDLE_PTSZ(cuMemcpy3DAsync_v2)
#define cuMemcpy3DPeer HEDDLE_PTDS(cuMemcpy3DPeer)
#define cuMemcpy3DPeerAsync HEDDLE_PTSZ(cuMemcpy3DPeerAsync)
#define cuMemcpyAsync HEDDLE_PTSZ(cuMemcpyAsync)
#define cuMemcpyAtoA HEDDLE_PTDS(cuMemcpyAtoA_v2)
#define cuMemcpyAtoD HEDDLE_PTDS(cuMemcpyAtoD_v2)
#define cuMemcpyAtoH HEDDLE_PTDS(cuMemcpyAtoH_v2)
#define cuMemcpyAtoHAsync HEDDLE_PTSZ(cuMemcpyAtoHAsync_v2)
#define cuMemcpyDtoA HEDDLE_PTDS(cuMemcpyDtoA_v2)
#define cuMemcpyDtoD HEDDLE_PTDS(cuMemcpyDtoD_v2)
#define cuMemcpyDtoDAsync HEDDLE_PTSZ(cuMemcpyDtoDAsync_v2)
#define cuMemcpyDtoH HEDDLE_PTDS(cuMemcpyDtoH_v2)
#define cuMemcpyDtoHAsync HEDDLE_PTSZ(cuMemcpyDtoHAsync_v2)
#define cuMemcpyHtoA HEDDLE_PTDS(cuMemcpyHtoA_v2)
#define cuMemcpyHtoAAsync HEDDLE_PTSZ(cuMemcpyHtoAAsync_v2)
#define cuMemcpyHtoD HEDDLE_PTDS(cuMemcpyHtoD_v2)
#define cuMemcpyHtoDAsync HEDDLE_PTSZ(cuMemcpyHtoDAsync_v2)
#define cuMemcpyPeer HEDDLE_PTDS(cuMemcpyPeer)
#define cuMemcpyPeerAsync HEDDLE_PTSZ(cuMemcpyPeerAsync)
#define cuMemsetD16 HEDDLE_PTDS(cuMemsetD16_v2)
#define cuMemsetD16Async HEDDLE_PTSZ(cuMemsetD16Async)
#define cuMemsetD2D16 HEDDLE_PTDS(cuMemsetD2D16_v2)
#define cuMemsetD2D16Async HEDDLE_PTSZ(cuMemsetD2D16Async)
#define cuMemsetD2D32 HEDDLE_PTDS(cuMemsetD2D32_v2)
#define cuMemsetD2D32Async HEDDLE_PTSZ(cuMemsetD2D32Async)
#define cuMemsetD2D8 HEDDLE_PTDS(cuMemsetD2D8_v2)
#define cuMemsetD2D8Async HEDDLE_PTSZ(cuMemsetD2D8Async)
#define cuMemsetD32 HEDDLE_PTDS(cuMemsetD32_v2)
#define cuMemsetD32Async HEDDLE_PTSZ(cuMemsetD32Async)
#define cuMemsetD8 HEDDLE_PTDS(cuMemsetD8_v2)
#define cuMemsetD8Async HEDDLE_PTSZ(cuMemsetD8Async)
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuStreamAddCallback HEDDLE_PTSZ(cuStreamAddCallback)
#define cuStreamAttachMemAsync HEDDLE_PTSZ(cuStreamAttachMemAsync)
#define cuStreamBatchMemOp HEDDLE_PTSZ(cuStreamBatchMemOp_v2)
#define cuStreamBeginCapture HEDDLE_PTSZ(cuStreamBeginCapture_v2)
#define cuStreamCopyAttributes HEDDLE_PTSZ(cuStreamCopyAttributes)
#define cuStreamDestroy cuStreamDestroy_v2
#define cuStreamEndCapture HEDDLE_PTSZ(cuStreamEndCapture)
#define cuStreamGetAttribute HEDDLE_PTSZ(cuStreamGetAttribute)
#define cuStreamGetCtx HEDDLE_PTSZ(cuStreamGetCtx)
#define cuStreamGetCtx_v2 HEDDLE_PTSZ(cuStreamGetCtx_v2)
#define cuStreamGetDevice HEDDLE_PTSZ(cuStreamGetDevice)
#define cuStreamGetFlags HEDDLE_PTSZ(cuStreamGetFlags)
#define cuStreamGetId HEDDLE_PTSZ(cuStreamGetId)
#define cuStreamGetPriority HEDDLE_PTSZ(cuStreamGetPriority)
#define cuStreamIsCapturing HEDDLE_PTSZ(cuStreamIsCapturing)
#define cuStreamQuery HEDDLE_PTSZ(cuStreamQuery)
#define cuStreamSetAttribute HEDDLE_PTSZ(cuStreamSetAttribute)
#define cuStreamSynchronize HEDDLE_PTSZ(cuStreamSynchronize)
#define cuStreamWaitEvent HEDDLE_PTSZ(cuStreamWaitEvent)
#define cuStreamWaitValue32 HEDDLE_PTSZ(cuStreamWaitValue32_v2)
#define cuStreamWaitValue64 HEDDLE_PTSZ(cuStreamWaitValue64_v2)
#define cuStreamWriteValue32 HEDDLE_PTSZ(cuStreamWriteValue32_v2)
#define cuStreamWriteValue64 HEDDLE_PTSZ(cuStreamWriteValue64_v2)
#define cuTexRefGetAddress cuTexRefGetAddress_v2
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuArray3DCreate_v2(CUarray*, const CUDA_ARRAY3D_DESCRIPTOR*);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR*, CUarray);
CUresult cuArrayCreate_v2(CUarray*, const CUDA_ARRAY_DESCRIPTOR*);
CUresult cuArrayDestroy(CUarray);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR*, CUarray);
CUresult cuArrayGetPlane(CUarray*, CUarray, unsigned int);
CUresult cuCtxAttach(CUcontext*, unsigned int);
CUresult cuCtxCreate_v2(CUcontext*, unsigned int, CUdevice);
CUresult cuCtxCreate_v3(CUcontext*, CUexecAffinityParam*, int, unsigned int, CUdevice);
CUresult cuCtxCreate_v4(CUcontext*, CUctxCreateParams*, unsigned int, CUdevice);
CUresult cuCtxDestroy_v2(CUcontext);
CUresult cuCtxDetach(CUcontext);
CUresult cuCtxDisablePeerAccess(CUcontext);
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned int);
CUresult cuCtxGetApiVersion(CUcontext, unsigned int*);
CUresult cuCtxGetCacheConfig(CUfunc_cache*);
CUresult cuCtxGetCurrent(CUcontext*);
CUresult cuCtxGetDevice(CUdevice*);
CUresult cuCtxGetDevice_v2(CUdevice*, CUcontext);
CUresult cuCtxGetExecAffinity(CUexecAffinityParam*, CUexecAffinityType);
CUresult cuCtxGetFlags(unsigned int*);
CUresult cuCtxGetId(CUcontext, unsigned long long*);
CUresult cuCtxGetLimit(__SIZE_TYPE__*, CUlimit);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig*);
CUresult cuCtxGetStreamPriorityRange(int*, int*);
CUresult cuCtxPopCurrent_v2(CUcontext*);
CUresult cuCtxPushCurrent_v2(CUcontext);
CUresult cuCtxRecordEvent(CUcontext, CUevent);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxSetCacheConfig(CUfunc_cache);
CUresult cuCtxSetCurrent(CUcontext);
CUresult cuCtxSetFlags(unsigned int);
CUresult cuCtxSetLimit(CUlimit, __SIZE_TYPE__);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSynchronize_v2(CUcontext);
CUresult cuCtxWaitEvent(CUcontext, CUevent);
CUresult cuDeviceCanAccessPeer(int*, CUdevice, CUdevice);
CUresult cuDeviceComputeCapability(int*, int*, CUdevice);
CUresult cuDeviceGet(CUdevice*, int);
CUresult cuDeviceGetAttribute(int*, CUdevice_attribute, CUdevice);
CUresult cuDeviceGetByPCIBusId(CUdevice*, const char*);
CUresult cuDeviceGetCount(int*);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool*, CUdevice);
CUresult cuDeviceGetExecAffinitySupport(int*, CUexecAffinityType, CUdevice);
CUresult cuDeviceGetLuid(char*, unsigned int*, CUdevice);
CUresult cuDeviceGetMemPool(CUmemoryPool*, CUdevice);
CUresult cuDeviceGetName(char*, int, CUdevice);
CUresult cuDeviceGetNvSciSyncAttributes(void*, CUdevice, int);
CUresult cuDeviceGetP2PAttribute(int*, CUdevice_P2PAttribute, CUdevice, CUdevice);
CUresult cuDeviceGetPCIBusId(char*, int, CUdevice);
CUresult cuDeviceGetProperties(CUdevprop*, CUdevice);
CUresult cuDeviceGetTexture1DLinearMaxWidth(__SIZE_TYPE__*, CUarray_format, unsigned, CUdevice);
CUresult cuDeviceGetUuid(CUuuid*, CUdevice);
CUresult cuDeviceGetUuid_v2(CUuuid*, CUdevice);
CUresult cuDeviceGraphMemTrim(CUdevice);
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned int*, int*);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice);
CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned int);
CUresult cuDeviceSetMemPool(CUdevice, CUmemoryPool);
CUresult cuDeviceTotalMem_v2(__SIZE_TYPE__*, CUdevice);
CUresult cuDriverGetVersion(int*);
CUresult cuEventCreate(CUevent*, unsigned int);
CUresult cuEventDestroy_v2(CUevent);
CUresult cuEventElapsedTime(float*, CUevent, CUevent);
CUresult cuEventQuery(CUevent);
CUresult cuEventRecord(CUevent, CUstream);
CUresult cuEventRecordWithFlags(CUevent, CUstream, unsigned int);
CUresult cuEventSynchronize(CUevent);
CUresult cuFuncGetAttribute(int*, CUfunction_attribute, CUfunction);
CUresult cuFuncGetModule(CUmodule*, CUfunction);
CUresult cuFuncGetName(const char**, CUfunction);
CUresult cuFuncGetParamInfo(CUfunction, __SIZE_TYPE__, __SIZE_TYPE__*, __SIZE_TYPE__*);
CUresult cuFuncIsLoaded(CUfunctionLoadingState*, CUfunction);
CUresult cuFuncLoad(CUfunction);
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int);
CUresult cuFuncSetBlockShape(CUfunction, int, int, int);
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache);
CUresult cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig);
CUresult cuFuncSetSharedSize(CUfunction, unsigned int);
CUresult cuGetErrorName(CUresult, const char**);
CUresult cuGetErrorString(CUresult, const char**);
CUresult cuGetExportTable(const void**, const CUuuid*);
CUresult cuGetProcAddress_v2(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
CUresult cuInit(unsigned int);
CUresult cuIpcCloseMemHandle(CUdeviceptr);
CUresult cuIpcGetEventHandle(CUipcEventHandle*, CUevent);
CUresult cuIpcGetMemHandle(CUipcMemHandle*, CUdeviceptr);
CUresult cuIpcOpenEventHandle(CUevent*, CUipcEventHandle);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr*, CUipcMemHandle, unsigned int);
CUresult cuKernelGetAttribute(int*, CUfunction_attribute, CUkernel, CUdevice);
CUresult cuKernelGetFunction(CUfunction*, CUkernel);
CUresult cuKernelGetLibrary(CUlibrary*, CUkernel);
CUresult cuKernelGetName(const char**, CUkernel);
CUresult cuKernelGetParamInfo(CUkernel, __SIZE_TYPE__, __SIZE_TYPE__*, __SIZE_TYPE__*);
CUresult cuKernelSetAttribute(CUfunction_attribute, int, CUkernel, CUdevice);
CUresult cuKernelSetCacheConfig(CUkernel, CUfunc_cache, CUdevice);
CUresult cuLaunch(CUfunction);
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                                   unsigned int, unsigned int, CUstream, void**);
CUresult cuLaunchGrid(CUfunction, int, int);
CUresult cuLaunchGridAsync(CUfunction, int, int, CUstream);
CUresult cuLaunchHostFunc(CUstream, CUhostFn, void*);
CUresult cuLaunchKernel(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                        unsigned int, CUstream, void**, void**);
CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void**, void**);
CUresult cuLibraryEnumerateKernels(CUkernel*, unsigned int, CUlibrary);
CUresult cuLibraryGetGlobal(CUdeviceptr*, __SIZE_TYPE__*, CUlibrary, const char*);
CUresult cuLibraryGetKernel(CUkernel*, CUlibrary, const char*);
CUresult cuLibraryGetKernelCount(unsigned int*, CUlibrary);
CUresult cuLibraryGetManaged(CUdeviceptr*, __SIZE_TYPE__*, CUlibrary, const char*);
CUresult cuLibraryGetModule(CUmodule*, CUlibrary);
CUresult cuLibraryGetUnifiedFunction(void**, CUlibrary, const char*);
CUresult cuLibraryLoadData(CUlibrary*, const void*, CUjit_option*, void**, unsigned int, CUlibraryOption*, void**,
                           unsigned int);
CUresult cuLibraryLoadFromFile(CUlibrary*, const char*, CUjit_option*, void**, unsigned int, CUlibraryOption*, void**,
                               unsigned int);
CUresult cuLibraryUnload(CUlibrary);
CUresult cuLinkAddData_v2(CUlinkState, CUjitInputType, void*, __SIZE_TYPE__, const char*, unsigned int, CUjit_option*,
                          void**);
CUresult cuLinkAddFile_v2(CUlinkState, CUjitInputType, const char*, unsigned int, CUjit_option*, void**);
CUresult cuLinkComplete(CUlinkState, void**, __SIZE_TYPE__*);
CUresult cuLinkCreate_v2(unsigned int, CUjit_option*, void**, CUlinkState*);
CUresult cuLinkDestroy(CUlinkState);
CUresult cuMemAddressFree(CUdeviceptr, __SIZE_TYPE__);
CUresult cuMemAddressReserve(CUdeviceptr*, __SIZE_TYPE__, __SIZE_TYPE__, CUdeviceptr, unsigned long long);
CUresult cuMemAdvise(CUdeviceptr, __SIZE_TYPE__, CUmem_advise, CUdevice);
CUresult cuMemAdvise_v2(CUdeviceptr, __SIZE_TYPE__, CUmem_advise, CUmemLocation);
CUresult cuMemAllocAsync(CUdeviceptr*, __SIZE_TYPE__, CUstream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr*, __SIZE_TYPE__, CUmemoryPool, CUstream);
CUresult cuMemAllocHost_v2(void**, __SIZE_TYPE__);
CUresult cuMemAllocManaged(CUdeviceptr*, __SIZE_TYPE__, unsigned int);
CUresult cuMemAllocPitch_v2(CUdeviceptr*, __SIZE_TYPE__*, __SIZE_TYPE__, __SIZE_TYPE__, unsigned int);
CUresult cuMemAlloc_v2(CUdeviceptr*, __SIZE_TYPE__);
CUresult cuMemCreate(CUmemGenericAllocationHandle*, __SIZE_TYPE__, const CUmemAllocationProp*, unsigned long long);
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr*, __SIZE_TYPE__*, __SIZE_TYPE__, CUmemLocation*, __SIZE_TYPE__*,
                                           __SIZE_TYPE__, unsigned long long, CUstream);
CUresult cuMemDiscardBatchAsync(CUdeviceptr*, __SIZE_TYPE__*, __SIZE_TYPE__, unsigned long long, CUstream);
CUresult cuMemExportToShareableHandle(void*, CUmemGenericAllocationHandle, CUmemAllocationHandleType,
                                      unsigned long long);
CUresult cuMemFreeAsync(CUdeviceptr, CUstream);
CUresult cuMemFreeHost(void*);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuMemGetAccess(unsigned long long*, const CUmemLocation*, CUdeviceptr);
CUresult cuMemGetAddressRange_v2(CUdeviceptr*, __SIZE_TYPE__*, CUdeviceptr);
CUresult cuMemGetAllocationGranularity(__SIZE_TYPE__*, const CUmemAllocationProp*, CUmemAllocationGranularity_flags);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp*, CUmemGenericAllocationHandle);
CUresult cuMemGetDefaultMemPool(CUmemoryPool*, CUmemLocation*, CUmemAllocationType);
CUresult cuMemGetInfo_v2(__SIZE_TYPE__*, __SIZE_TYPE__*);
CUresult cuMemGetMemPool(CUmemoryPool*, CUmemLocation*, CUmemAllocationType);
CUresult cuMemHostAlloc(void**, __SIZE_TYPE__, unsigned int);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr*, void*, unsigned int);
CUresult cuMemHostGetFlags(unsigned int*, void*);
CUresult cuMemHostRegister_v2(void*, __SIZE_TYPE__, unsigned int);
CUresult cuMemHostUnregister(void*);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle*, void*, CUmemAllocationHandleType);
CUresult cuMemMap(CUdeviceptr, __SIZE_TYPE__, __SIZE_TYPE__, CUmemGenericAllocationHandle, unsigned long long);
CUresult cuMemPoolCreate(CUmemoryPool*, const CUmemPoolProps*);
CUresult cuMemPoolDestroy(CUmemoryPool);
CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData*, CUdeviceptr);
CUresult cuMemPoolExportToShareableHandle(void*, CUmemoryPool, CUmemAllocationHandleType, unsigned long long);
CUresult cuMemPoolGetAccess(CUmemAccess_flags*, CUmemoryPool, CUmemLocation*);
CUresult cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute, void*);
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool*, void*, CUmemAllocationHandleType, unsigned long long);
CUresult cuMemPoolImportPointer(CUdeviceptr*, CUmemoryPool, CUmemPoolPtrExportData*);
CUresult cuMemPoolSetAccess(CUmemoryPool, const CUmemAccessDesc*, __SIZE_TYPE__);
CUresult cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, void*);
CUresult cuMemPoolTrimTo(CUmemoryPool, __SIZE_TYPE__);
CUresult cuMemPrefetchAsync(CUdeviceptr, __SIZE_TYPE__, CUdevice, CUstream);
CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr, __SIZE_TYPE__, CUdevice, CUstream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr, __SIZE_TYPE__, CUmemLocation, unsigned int, CUstream);
CUresult cuMemPrefetchBatchAsync(CUdeviceptr*, __SIZE_TYPE__*, __SIZE_TYPE__, CUmemLocation*, __SIZE_TYPE__*,
                                 __SIZE_TYPE__, unsigned long long, CUstream);
CUresult cuMemRangeGetAttribute(void*, __SIZE_TYPE__, CUmem_range_attribute, CUdeviceptr, __SIZE_TYPE__);
CUresult cuMemRangeGetAttributes(void**, __SIZE_TYPE__*, CUmem_range_attribute*, __SIZE_TYPE__, CUdeviceptr,
                                 __SIZE_TYPE__);
CUresult cuMemRelease(CUmemGenericAllocationHandle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle*, void*);
CUresult cuMemSetAccess(CUdeviceptr, __SIZE_TYPE__, const CUmemAccessDesc*, __SIZE_TYPE__);
CUresult cuMemSetMemPool(CUmemLocation*, CUmemAllocationType, CUmemoryPool);
CUresult cuMemUnmap(CUdeviceptr, __SIZE_TYPE__);
CUresult cuMemcpy(CUdeviceptr, CUdeviceptr, __SIZE_TYPE__);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D*, CUstream);
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D*);
CUresult cuMemcpy2D(const CUDA_MEMCPY2D*);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D*, CUstream);
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER*);
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER*, CUstream);
CUresult cuMemcpy3D(const CUDA_MEMCPY3D*);
CUresult cuMemcpyAsync(CUdeviceptr, CUdeviceptr, __SIZE_TYPE__, CUstream);
CUresult cuMemcpyAtoA(CUarray, __SIZE_TYPE__, CUarray, __SIZE_TYPE__, __SIZE_TYPE__);
CUresult cuMemcpyAtoD(CUdeviceptr, CUarray, __SIZE_TYPE__, __SIZE_TYPE__);
CUresult cuMemcpyAtoHAsync(void*, CUarray, __SIZE_TYPE__, __SIZE_TYPE__, CUstream);
CUresult cuMemcpyAtoH(void*, CUarray, __SIZE_TYPE__, __SIZE_TYPE__);
CUresult cuMemcpyDtoA(CUarray, __SIZE_TYPE__, CUdeviceptr, __SIZE_TYPE__);
CUresult cuMemcpyDtoDAsync(CUdeviceptr, CUdeviceptr, __SIZE_TYPE__, CUstream);
CUresult cuMemcpyDtoD(CUdeviceptr, CUdeviceptr, __SIZE_TYPE__);
CUresult cuMemcpyDtoHAsync(void*, CUdeviceptr, __SIZE_TYPE__, CUstream);
CUresult cuMemcpyDtoH(void*, CUdeviceptr, __SIZE_TYPE__);
CUresult cuMemcpyHtoAAsync(CUarray, __SIZE_TYPE__, const void*, __SIZE_TYPE__, CUstream);
CUresult cuMemcpyHtoA(CUarray, __SIZE_TYPE__, const void*, __SIZE_TYPE__);
CUresult cuMemcpyHtoDAsync(CUdeviceptr, const void*, __SIZE_TYPE__, CUstream);
CUresult cuMemcpyHtoD(CUdeviceptr, const void*, __SIZE_TYPE__);
CUresult cuMemcpyPeer(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, __SIZE_TYPE__);
CUresult cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, __SIZE_TYPE__, CUstream);
CUresult cuMemsetD16Async(CUdeviceptr, unsigned short, __SIZE_TYPE__, CUstream);
CUresult cuMemsetD16(CUdeviceptr, unsigned short, __SIZE_TYPE__);
CUresult cuMemsetD2D16Async(CUdeviceptr, __SIZE_TYPE__, unsigned short, __SIZE_TYPE__, __SIZE_TYPE__, CUstream);
CUresult cuMemsetD2D16(CUdeviceptr, __SIZE_TYPE__, unsigned short, __SIZE_TYPE__, __SIZE_TYPE__);
CUresult cuMemsetD2D32Async(CUdeviceptr, __SIZE_TYPE__, unsigned int, __SIZE_TYPE__, __SIZE_TYPE__, CUstream);
CUresult cuMemsetD2D32(CUdeviceptr, __SIZE_TYPE__, unsigned int, __SIZE_TYPE__, __SIZE_TYPE__);
CUresult cuMemsetD2D8Async(CUdeviceptr, __SIZE_TYPE__, unsigned char, __SIZE_TYPE__, __SIZE_TYPE__, CUstream);
CUresult cuMemsetD2D8(CUdeviceptr, __SIZE_TYPE__, unsigned char, __SIZE_TYPE__, __SIZE_TYPE__);
CUresult cuMemsetD32Async(CUdeviceptr, unsigned int, __SIZE_TYPE__, CUstream);
CUresult cuMemsetD32(CUdeviceptr, unsigned int, __SIZE_TYPE__);
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, __SIZE_TYPE__, CUstream);
CUresult cuMemsetD8(CUdeviceptr, unsigned char, __SIZE_TYPE__);
CUresult cuMipmappedArrayCreate(CUmipmappedArray*, const CUDA_ARRAY3D_DESCRIPTOR*, unsigned int);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray);
CUresult cuMipmappedArrayGetLevel(CUarray*, CUmipmappedArray, unsigned int);
CUresult cuModuleEnumerateFunctions(CUfunction*, unsigned int, CUmodule);
CUresult cuModuleGetFunction(CUfunction*, CUmodule, const char*);
CUresult cuModuleGetFunctionCount(unsigned int*, CUmodule);
CUresult cuModuleGetGlobal_v2(CUdeviceptr*, __SIZE_TYPE__*, CUmodule, const char*);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode*);
CUresult cuModuleGetSurfRef(CUsurfref*, CUmodule, const char*);
CUresult cuModuleGetTexRef(CUtexref*, CUmodule, const char*);
CUresult cuModuleLoad(CUmodule*, const char*);
CUresult cuModuleLoadData(CUmodule*, const void*);
CUresult cuModuleLoadDataEx(CUmodule*, const void*, unsigned int, CUjit_option*, void**);
CUresult cuModuleLoadFatBinary(CUmodule*, const void*);
CUresult cuModuleUnload(CUmodule);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(__SIZE_TYPE__*, CUfunction, int, int);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int*, CUfunction, int, __SIZE_TYPE__);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*, CUfunction, int, __SIZE_TYPE__, unsigned int);
CUresult cuOccupancyMaxActiveClusters(int*, CUfunction, const CUlaunchConfig*);
CUresult cuOccupancyMaxPotentialBlockSize(int*, int*, CUfunction, CUoccupancyB2DSize, __SIZE_TYPE__, int);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int*, int*, CUfunction, CUoccupancyB2DSize, __SIZE_TYPE__, int,
                                                   unsigned int);
CUresult cuOccupancyMaxPotentialClusterSize(int*, CUfunction, const CUlaunchConfig*);
CUresult cuParamSetSize(CUfunction, unsigned int);
CUresult cuParamSetTexRef(CUfunction, int, CUtexref);
CUresult cuParamSetf(CUfunction, int, float);
CUresult cuParamSeti(CUfunction, int, unsigned int);
CUresult cuParamSetv(CUfunction, int, void*, unsigned int);
CUresult cuPointerGetAttribute(void*, CUpointer_attribute, CUdeviceptr);
CUresult cuPointerGetAttributes(unsigned int, CUpointer_attribute*, void**, CUdeviceptr);
CUresult cuPointerSetAttribute(const void*, CUpointer_attribute, CUdeviceptr);
CUresult cuStreamAddCallback(CUstream, CUstreamCallback, void*, unsigned int);
CUresult cuStreamAttachMemAsync(CUstream, CUdeviceptr, __SIZE_TYPE__, unsigned int);
CUresult cuStreamBatchMemOp_ptsz(CUstream, unsigned int, CUstreamBatchMemOpParams*, unsigned int);
CUresult cuStreamBatchMemOp(CUstream, unsigned int, CUstreamBatchMemOpParams*, unsigned int);
CUresult cuStreamBeginCapture_ptsz(CUstream);
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode);
CUresult cuStreamCopyAttributes(CUstream, CUstream);
CUresult cuStreamCreate(CUstream*, unsigned int);
CUresult cuStreamCreateWithPriority(CUstream*, unsigned int, int);
CUresult cuStreamDestroy_v2(CUstream);
CUresult cuStreamEndCapture(CUstream, CUgraph*);
CUresult cuStreamGetAttribute(CUstream, CUstreamAttrID, CUstreamAttrValue*);
CUresult cuStreamGetCaptureInfo_ptsz(CUstream, CUstreamCaptureStatus*, cuuint64_t*);
CUresult cuStreamGetCaptureInfo_v2(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*, const CUgraphNode**,
                                   __SIZE_TYPE__*);
CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*, const CUgraphNode**,
                                        __SIZE_TYPE__*);
CUresult cuStreamGetCtx(CUstream, CUcontext*);
CUresult cuStreamGetCtx_v2(CUstream, CUcontext*, CUgreenCtx*);
CUresult cuStreamGetDevice(CUstream, CUdevice*);
CUresult cuStreamGetFlags(CUstream, unsigned int*);
CUresult cuStreamGetGreenCtx(CUstream, CUgreenCtx*);
CUresult cuStreamGetId(CUstream, unsigned long long*);
CUresult cuStreamGetPriority(CUstream, int*);
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus*);
CUresult cuStreamQuery(CUstream);
CUresult cuStreamSetAttribute(CUstream, CUstreamAttrID, const CUstreamAttrValue*);
CUresult cuStreamSynchronize(CUstream);
CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream, CUgraphNode*, __SIZE_TYPE__, unsigned int);
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned int);
CUresult cuStreamWaitValue32_ptsz(CUstream, CUdeviceptr, cuuint32_t, unsigned int);
CUresult cuStreamWaitValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned int);
CUresult cuStreamWaitValue64_ptsz(CUstream, CUdeviceptr, cuuint64_t, unsigned int);
CUresult cuStreamWaitValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned int);
CUresult cuStreamWriteValue32_ptsz(CUstream, CUdeviceptr, cuuint32_t, unsigned int);
CUresult cuStreamWriteValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned int);
CUresult cuStreamWriteValue64_ptsz(CUstream, CUdeviceptr, cuuint64_t, unsigned int);
CUresult cuStreamWriteValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned int);
CUresult cuSurfObjectCreate(CUsurfObject*, const CUDA_RESOURCE_DESC*);
CUresult cuSurfObjectDestroy(CUsurfObject);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC*, CUsurfObject);
CUresult cuSurfRefGetArray(CUarray*, CUsurfref);
CUresult cuSurfRefSetArray(CUsurfref, CUarray, unsigned int);
CUresult cuTexObjectCreate(CUtexObject*, const CUDA_RESOURCE_DESC*, const CUDA_TEXTURE_DESC*,
                           const CUDA_RESOURCE_VIEW_DESC*);
CUresult cuTexObjectDestroy(CUtexObject);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC*, CUtexObject);
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC*, CUtexObject);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC*, CUtexObject);
CUresult cuTexRefCreate(CUtexref*);
CUresult cuTexRefDestroy(CUtexref);
CUresult cuTexRefGetAddressMode(CUaddress_mode*, CUtexref, int);
CUresult cuTexRefGetAddress_v2(CUdeviceptr*, CUtexref);
CUresult cuTexRefGetArray(CUarray*, CUtexref);
CUresult cuTexRefGetBorderColor(float*, CUtexref);
CUresult cuTexRefGetFilterMode(CUfilter_mode*, CUtexref);
CUresult cuTexRefGetFlags(unsigned int*, CUtexref);
CUresult cuTexRefGetFormat(CUarray_format*, int*, CUtexref);
CUresult cuTexRefGetMaxAnisotropy(int*, CUtexref);
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode*, CUtexref);
CUresult cuTexRefGetMipmapLevelBias(float*, CUtexref);
CUresult cuTexRefGetMipmapLevelClamp(float*, float*, CUtexref);
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray*, CUtexref);
CUresult cuTexRefSetAddress2D_v2(CUtexref, const CUDA_ARRAY_DESCRIPTOR*, CUdeviceptr, __SIZE_TYPE__);
CUresult cuTexRefSetAddress2D_v3(CUtexref, const CUDA_ARRAY_DESCRIPTOR*, CUdeviceptr, __SIZE_TYPE__);
CUresult cuTexRefSetAddressMode(CUtexref, int, CUaddress_mode);
CUresult cuTexRefSetAddress_v2(__SIZE_TYPE__*, CUtexref, CUdeviceptr, __SIZE_TYPE__);
CUresult cuTexRefSetArray(CUtexref, CUarray, unsigned int);
CUresult cuTexRefSetBorderColor(CUtexref, float*);
CUresult cuTexRefSetFilterMode(CUtexref, CUfilter_mode);
CUresult cuTexRefSetFlags(CUtexref, unsigned int);
CUresult cuTexRefSetFormat(CUtexref, CUarray_format, int);
CUresult cuTexRefSetMaxAnisotropy(CUtexref, unsigned int);
CUresult cuTexRefSetMipmapFilterMode(CUtexref, CUfilter_mode);
CUresult cuTexRefSetMipmapLevelBias(CUtexref, float);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref, float, float);
CUresult cuTexRefSetMipmappedArray(CUtexref, CUmipmappedArray, unsigned int);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*);
#ifdef __cplusplus
}
#endif
