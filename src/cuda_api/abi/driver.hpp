// The types and functions of CUDA's driver API, from the headers that Heddle gives to programs: one declaration for
// both sides, so that a function of a wrong signature does not compile. The names of these functions are macros there,
// for the version that a program gets. Definitions here use the full name, cuMemAlloc_v2.
#pragma once

#include "cuda_api/abi/runtime.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include "compile/headers/heddle/driver_api.h"
#pragma GCC diagnostic pop
