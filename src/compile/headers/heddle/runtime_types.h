// The types and constants of the CUDA runtime API, version 12, for host code in CUDA C++, C++ and C, and for Heddle's own
// libraries. Layouts and numbers are CUDA's (tests/cuda_api/abi). dim3 must be known.
#pragma once
#pragma GCC system_header

#define CUDART_VERSION 12000
#if !defined(CUDA_VERSION)
#define CUDA_VERSION 12000
#endif

#include "runtime_errors.h"
#include "runtime_handles.h"
#include "runtime_devices.h"
#include "runtime_arrays.h"
#include "runtime_memory.h"
#include "runtime_launches.h"
#include "runtime_sharing.h"
#include "runtime_graphs.h"
#include "library_types.h"
