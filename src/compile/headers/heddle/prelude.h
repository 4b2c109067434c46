// Included before every source that Heddle compiles: what nvcc makes known without any #include. The order matters: device
// overloads of the C library's functions have to be there before the host's headers declare those.
#pragma once
#pragma GCC system_header

// Plain C and C++ files include CUDA's headers too: they are given what host code can use.
#if !defined(__CUDA__)
#include "plain_host.h"
#else

#include "keywords.h"
#include "vector_types.h"
#include "builtin_variables.h"
#include "system_calls.h"
#include "synchronization.h"
#include "math_functions.h"
#include "intrinsics.h"
#include "integers.h"
#include "warp.h"
#include "atomics.h"
#include "memory.h"
#include "half_functions.h"
#include "runtime_api.h"
#include "textures.h"
#include "simd.h"
#include "cooperative_groups.h"
#include "host_headers.h"
#include "managed_variables.h"
#include "guards.h"

// Sources written for nvcc ask for this to know whether they are compiled as CUDA. It comes last: the host's headers
// above are those for clang.
#define __NVCC__ 1

// Back to nvcc's habit for the program itself, unless the command line chose otherwise.
#if !defined(HEDDLE_FP_CONTRACT_OFF) && defined(__CUDA_ARCH__)
#pragma clang fp contract(fast)
#endif
#endif
