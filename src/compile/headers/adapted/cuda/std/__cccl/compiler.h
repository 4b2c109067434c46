// Put before CCCL's own: clang compiles, although the program sees nvcc's name.
#pragma once
#pragma GCC system_header
#pragma push_macro("__NVCC__")
#undef __NVCC__
#include_next <cuda/std/__cccl/compiler.h>
#pragma pop_macro("__NVCC__")
