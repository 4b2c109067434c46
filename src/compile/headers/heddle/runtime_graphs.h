// Graphs, capture and user objects.
#pragma once
#pragma GCC system_header

#include <stddef.h>
#include "runtime_launches.h"
#include "runtime_memory.h"
#include "runtime_sharing.h"

#define cudaGraphKernelNodePortDefault 0
#define cudaGraphKernelNodePortProgrammatic 1
#define cudaGraphKernelNodePortLaunchCompletion 2
#define cudaKernelNodeAttrID cudaLaunchAttributeID
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority
#define cudaKernelNodeAttributeClusterDimension cudaLaunchAttributeClusterDimension
#define cudaKernelNodeAttributeClusterSchedulingPolicyPreference cudaLaunchAttributeClusterSchedulingPolicyPreference
#define cudaKernelNodeAttributeMemSyncDomainMap cudaLaunchAttributeMemSyncDomainMap
#define cudaKernelNodeAttributeMemSyncDomain cudaLaunchAttributeMemSyncDomain
#define cudaKernelNodeAttributePreferredSharedMemoryCarveout cudaLaunchAttributePreferredSharedMemoryCarveout
#define cudaKernelNodeAttributeDeviceUpdatableKernelNode cudaLaunchAttributeDeviceUpdatableKernelNode
#define cudaKernelNodeAttrValue cudaLaunchAttributeValue

typedef struct cudaMemcpyNodeParams cudaMemcpyNodeParams;
struct cudaMemcpyNodeParams {
  int flags, reserved[3];
  cudaMemcpy3DParms copyParams;
};
typedef void (*cudaHostFn_t)(void*);
typedef struct cudaHostNodeParams cudaHostNodeParams;
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void*userData;
};
typedef struct cudaHostNodeParamsV2 cudaHostNodeParamsV2;
struct cudaHostNodeParamsV2 {
  cudaHostFn_t fn;
  void*userData;
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1, cudaStreamCaptureStatusInvalidated = 2
};
typedef enum cudaStreamCaptureStatus cudaStreamCaptureStatus;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal = 1, cudaStreamCaptureModeRelaxed = 2
};
typedef enum cudaStreamCaptureMode cudaStreamCaptureMode;
enum cudaStreamUpdateCaptureDependenciesFlags {
  cudaStreamAddCaptureDependencies = 0, cudaStreamSetCaptureDependencies = 1
};
typedef enum cudaStreamUpdateCaptureDependenciesFlags cudaStreamUpdateCaptureDependenciesFlags;
enum cudaUserObjectFlags { cudaUserObjectNoDestructorSync = 1 };
typedef enum cudaUserObjectFlags cudaUserObjectFlags;
enum cudaUserObjectRetainFlags { cudaGraphUserObjectMove = 1 };
typedef enum cudaUserObjectRetainFlags cudaUserObjectRetainFlags;
typedef struct cudaMemAllocNodeParams cudaMemAllocNodeParams;
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc*accessDescs;
  size_t accessDescCount, bytesize;
  void*dptr;
};
typedef struct cudaMemAllocNodeParamsV2 cudaMemAllocNodeParamsV2;
struct cudaMemAllocNodeParamsV2 {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc*accessDescs;
  size_t accessDescCount, bytesize;
  void*dptr;
};
typedef struct cudaMemFreeNodeParams cudaMemFreeNodeParams;
struct cudaMemFreeNodeParams {
  void*dptr;
};
enum cudaGraphMemAttributeType {
  cudaGraphMemAttrUsedMemCurrent = 0, cudaGraphMemAttrUsedMemHigh = 1, cudaGraphMemAttrReservedMemCurrent = 2,
  cudaGraphMemAttrReservedMemHigh = 3
};
typedef enum cudaGraphMemAttributeType cudaGraphMemAttributeType;
typedef struct cudaKernelNodeParams cudaKernelNodeParams;
struct cudaKernelNodeParams {
  void*func;
  dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void**kernelParams;
  void**extra;
};
typedef struct cudaKernelNodeParamsV2 cudaKernelNodeParamsV2;
struct cudaKernelNodeParamsV2 {
  void*func;
  dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void**kernelParams;
  void**extra;
};
typedef struct cudaExternalSemaphoreSignalNodeParams cudaExternalSemaphoreSignalNodeParams;
struct cudaExternalSemaphoreSignalNodeParams {
  cudaExternalSemaphore_t*extSemArray;
  const cudaExternalSemaphoreSignalParams*paramsArray;
  unsigned int numExtSems;
};
typedef struct cudaExternalSemaphoreSignalNodeParamsV2 cudaExternalSemaphoreSignalNodeParamsV2;
struct cudaExternalSemaphoreSignalNodeParamsV2 {
  cudaExternalSemaphore_t*extSemArray;
  const cudaExternalSemaphoreSignalParams*paramsArray;
  unsigned int numExtSems;
};
typedef struct cudaExternalSemaphoreWaitNodeParams cudaExternalSemaphoreWaitNodeParams;
struct cudaExternalSemaphoreWaitNodeParams {
  cudaExternalSemaphore_t*extSemArray;
  const cudaExternalSemaphoreWaitParams*paramsArray;
  unsigned int numExtSems;
};
typedef struct cudaExternalSemaphoreWaitNodeParamsV2 cudaExternalSemaphoreWaitNodeParamsV2;
struct cudaExternalSemaphoreWaitNodeParamsV2 {
  cudaExternalSemaphore_t*extSemArray;
  const cudaExternalSemaphoreWaitParams*paramsArray;
  unsigned int numExtSems;
};
enum cudaGraphConditionalHandleFlags { cudaGraphCondAssignDefault = 1 };
typedef enum cudaGraphConditionalHandleFlags cudaGraphConditionalHandleFlags;
enum cudaGraphConditionalNodeType {
  cudaGraphCondTypeIf = 0, cudaGraphCondTypeWhile = 1, cudaGraphCondTypeSwitch = 2
};
typedef enum cudaGraphConditionalNodeType cudaGraphConditionalNodeType;
typedef struct cudaConditionalNodeParams cudaConditionalNodeParams;
struct cudaConditionalNodeParams {
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalNodeType type;
  unsigned int size;
  cudaGraph_t*phGraph_out;
};
enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel = 0, cudaGraphNodeTypeMemcpy = 1, cudaGraphNodeTypeMemset = 2, cudaGraphNodeTypeHost = 3,
  cudaGraphNodeTypeGraph = 4, cudaGraphNodeTypeEmpty = 5, cudaGraphNodeTypeWaitEvent = 6,
  cudaGraphNodeTypeEventRecord = 7, cudaGraphNodeTypeExtSemaphoreSignal = 8, cudaGraphNodeTypeExtSemaphoreWait = 9,
  cudaGraphNodeTypeMemAlloc = 10, cudaGraphNodeTypeMemFree = 11, cudaGraphNodeTypeConditional = 13,
  cudaGraphNodeTypeCount = 14
};
typedef enum cudaGraphNodeType cudaGraphNodeType;
enum cudaGraphChildGraphNodeOwnership {
  cudaGraphChildGraphOwnershipClone = 0, cudaGraphChildGraphOwnershipMove = 1
};
typedef enum cudaGraphChildGraphNodeOwnership cudaGraphChildGraphNodeOwnership;
typedef struct cudaChildGraphNodeParams cudaChildGraphNodeParams;
struct cudaChildGraphNodeParams {
  cudaGraph_t graph;
  cudaGraphChildGraphNodeOwnership ownership;
};
typedef struct cudaEventRecordNodeParams cudaEventRecordNodeParams;
struct cudaEventRecordNodeParams {
  cudaEvent_t event;
};
typedef struct cudaEventWaitNodeParams cudaEventWaitNodeParams;
struct cudaEventWaitNodeParams {
  cudaEvent_t event;
};
typedef struct cudaGraphNodeParams cudaGraphNodeParams;
struct cudaGraphNodeParams {
  cudaGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    cudaKernelNodeParamsV2 kernel;
    cudaMemcpyNodeParams memcpy;
    cudaMemsetParamsV2 memset;
    cudaHostNodeParamsV2 host;
    cudaChildGraphNodeParams graph;
    cudaEventWaitNodeParams eventWait;
    cudaEventRecordNodeParams eventRecord;
    cudaExternalSemaphoreSignalNodeParamsV2 extSemSignal;
    cudaExternalSemaphoreWaitNodeParamsV2 extSemWait;
    cudaMemAllocNodeParamsV2 alloc;
    cudaMemFreeNodeParams free;
    cudaConditionalNodeParams conditional;
  };
  long long reserved2;
};
enum cudaGraphDependencyType_enum { cudaGraphDependencyTypeDefault = 0, cudaGraphDependencyTypeProgrammatic = 1 };
typedef enum cudaGraphDependencyType_enum cudaGraphDependencyType_enum;
typedef enum cudaGraphDependencyType_enum cudaGraphDependencyType;
typedef struct cudaGraphEdgeData_st cudaGraphEdgeData_st;
struct cudaGraphEdgeData_st {
  unsigned char from_port, to_port, type, reserved[5];
};
typedef struct cudaGraphEdgeData_st cudaGraphEdgeData;
enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess = 0, cudaGraphExecUpdateError = 1, cudaGraphExecUpdateErrorTopologyChanged = 2,
  cudaGraphExecUpdateErrorNodeTypeChanged = 3, cudaGraphExecUpdateErrorFunctionChanged = 4,
  cudaGraphExecUpdateErrorParametersChanged = 5, cudaGraphExecUpdateErrorNotSupported = 6,
  cudaGraphExecUpdateErrorUnsupportedFunctionChange = 7, cudaGraphExecUpdateErrorAttributesChanged = 8
};
typedef enum cudaGraphExecUpdateResult cudaGraphExecUpdateResult;
enum cudaGraphInstantiateResult {
  cudaGraphInstantiateSuccess = 0, cudaGraphInstantiateError = 1, cudaGraphInstantiateInvalidStructure = 2,
  cudaGraphInstantiateNodeOperationNotSupported = 3, cudaGraphInstantiateMultipleDevicesNotSupported = 4,
  cudaGraphInstantiateConditionalHandleUnused = 5
};
typedef enum cudaGraphInstantiateResult cudaGraphInstantiateResult;
typedef struct cudaGraphInstantiateParams_st cudaGraphInstantiateParams_st;
struct cudaGraphInstantiateParams_st {
  unsigned long long flags;
  cudaStream_t uploadStream;
  cudaGraphNode_t errNode_out;
  cudaGraphInstantiateResult result_out;
};
typedef struct cudaGraphInstantiateParams_st cudaGraphInstantiateParams;
typedef struct cudaGraphExecUpdateResultInfo_st cudaGraphExecUpdateResultInfo_st;
struct cudaGraphExecUpdateResultInfo_st {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
};
typedef struct cudaGraphExecUpdateResultInfo_st cudaGraphExecUpdateResultInfo;
enum cudaGraphKernelNodeField {
  cudaGraphKernelNodeFieldInvalid = 0, cudaGraphKernelNodeFieldGridDim = 1, cudaGraphKernelNodeFieldParam = 2,
  cudaGraphKernelNodeFieldEnabled = 3
};
typedef enum cudaGraphKernelNodeField cudaGraphKernelNodeField;
typedef struct cudaGraphKernelNodeUpdate cudaGraphKernelNodeUpdate;
struct cudaGraphKernelNodeUpdate {
  cudaGraphDeviceNode_t node;
  cudaGraphKernelNodeField field;
  union {
    dim3 gridDim;
    struct {
      const void*pValue;
      size_t offset, size;
    } param;
    unsigned int isEnabled;
  } updateData;
};
enum cudaGraphDebugDotFlags {
  cudaGraphDebugDotFlagsVerbose = 1, cudaGraphDebugDotFlagsKernelNodeParams = 4,
  cudaGraphDebugDotFlagsMemcpyNodeParams = 8, cudaGraphDebugDotFlagsMemsetNodeParams = 16,
  cudaGraphDebugDotFlagsHostNodeParams = 32, cudaGraphDebugDotFlagsEventNodeParams = 64,
  cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 128, cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 256,
  cudaGraphDebugDotFlagsKernelNodeAttributes = 512, cudaGraphDebugDotFlagsHandles = 1024,
  cudaGraphDebugDotFlagsConditionalNodeParams = 32768
};
typedef enum cudaGraphDebugDotFlags cudaGraphDebugDotFlags;
enum cudaGraphInstantiateFlags {
  cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload = 2,
  cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8
};
typedef enum cudaGraphInstantiateFlags cudaGraphInstantiateFlags;
