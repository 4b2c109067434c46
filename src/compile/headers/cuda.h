// The CUDA driver API, for C and C++.
#pragma once
#ifdef __clang__
#pragma clang system_header
#endif
#ifdef __CUDA__
#include "heddle/prelude.h"
#endif
#include "heddle/driver_api.h"
