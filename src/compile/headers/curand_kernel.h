// cuRAND's device functions are those of an installed toolkit. They declare names of the device for host code, by types
// that are not Heddle's, so they get names of their own there.
#pragma once
#pragma GCC system_header
#include "heddle/prelude.h"
#if !defined(__CUDA_ARCH__)
#define blockDim __heddle_curand_blockDim
#define threadIdx __heddle_curand_threadIdx
#endif
#include_next <curand_kernel.h>
#if !defined(__CUDA_ARCH__)
#undef blockDim
#undef threadIdx
#endif
