#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {

cudaError_t code_of(const Error& error) {
  switch (error.fault()) {
    case KernelFault::memory_access: return cudaErrorIllegalAddress;
    case KernelFault::misaligned: return cudaErrorMisalignedAddress;
    case KernelFault::assertion: return cudaErrorAssert;
    case KernelFault::timeout: return cudaErrorLaunchTimeout;
    case KernelFault::trap:
    case KernelFault::other: return cudaErrorLaunchFailure;
    case KernelFault::none: break;
  }
  switch (error.code()) {
    case ErrorCode::invalid_argument: return cudaErrorInvalidValue;
    case ErrorCode::not_found: return cudaErrorSymbolNotFound;
    case ErrorCode::parse_error:
    case ErrorCode::compile_error: return cudaErrorInvalidPtx;
    case ErrorCode::unsupported: return cudaErrorNotSupported;
    case ErrorCode::out_of_memory: return cudaErrorMemoryAllocation;
    case ErrorCode::deadlock: return cudaErrorLaunchTimeout;
    case ErrorCode::device_lost: return cudaErrorDevicesUnavailable;
    default: return cudaErrorUnknown;
  }
}

bool is_sticky(cudaError_t code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorDevicesUnavailable: return true;
    default: return false;
  }
}

const char* name_of(cudaError_t code) {
  switch (static_cast<int>(code)) {
#define HEDDLE_CUDA_ERROR(name, number, text) \
  case number: return #name;
#include "cuda_api/core/errors.def"
#undef HEDDLE_CUDA_ERROR
    default: return "unrecognized error code";
  }
}

const char* text_of(cudaError_t code) {
  switch (static_cast<int>(code)) {
#define HEDDLE_CUDA_ERROR(name, number, text) \
  case number: return text;
#include "cuda_api/core/errors.def"
#undef HEDDLE_CUDA_ERROR
    default: return "unrecognized error code";
  }
}

}  // namespace heddle::cuda_api
