// The CUDA driver API, for C and C++.
#pragma once
#pragma GCC system_header
#ifdef __CUDA__
#include "heddle/prelude.h"
#else
#include <stdlib.h>  // as NVIDIA's does
#endif
#include "heddle/driver_api.h"
#define __cuda_cuda_h__  // programs ask by NVIDIA's guard whether this was included
