// __half and __nv_bfloat16 in plain C++ files: storage, conversions and arithmetic, as host code of CUDA files has them.
#pragma once
#pragma GCC system_header

#if !defined(__cplusplus) || !defined(__clang__)
#error "Heddle's <cuda_fp16.h> and <cuda_bf16.h> are for CUDA C++, and for plain C++ compiled by heddle cc or clang"
#endif

#include "prelude.h"

#pragma float_control(push)
#define __HEDDLE_BOTH__ static inline __attribute__((always_inline, nodebug))
#include "half_functions.h"
#undef __HEDDLE_BOTH__
#pragma float_control(pop)  // contraction as the command line has it
