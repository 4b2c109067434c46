// The CUDA runtime API for host code in a .cu file, and what the compiler's own code for launches calls.
#pragma once
#pragma clang system_header

#include "runtime_forms.h"

extern "C" {
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, struct CUstream_st* stream = 0);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream);
// Compilations for the device alone ask for this one.
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
}

#include "host_math.h"
