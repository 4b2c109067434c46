// The types of CUDA's runtime API, from the headers that Heddle gives to programs: one declaration for both sides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heddle/dim3.hpp"

// As in vector_types.h, which is for the compiler of device code.
struct dim3 {
  unsigned int x = 1, y = 1, z = 1;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "compile/headers/heddle/runtime_types.h"
#pragma GCC diagnostic pop

namespace heddle::cuda_api {

inline Dim3 shape(const dim3& d) { return {d.x, d.y, d.z}; }

}  // namespace heddle::cuda_api
