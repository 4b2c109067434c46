// The C and C++ headers that nvcc's own headers include: programs rely on them. Without a C++ library on the machine
// kernels still compile.
#pragma once
#pragma clang system_header

#if __has_include(<cstdlib>)
#include <cstddef>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include "device_new.h"
#include <new>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>

// Much of the library's templates is not constexpr before C++20 (std::swap, assignment of pairs), but is wanted in device
// code. Here it becomes both; where it calls something that only the host has, the error comes when it is used.
#if defined(__GLIBCXX__) && __has_include(<bits/functexcept.h>)
#include <bits/functexcept.h>
#pragma clang force_cuda_host_device begin
#include <type_traits>
#include <utility>
#include <tuple>
#pragma clang force_cuda_host_device end
#endif

// auto& [x, y, z] = threadIdx: the components of the variable itself.
#include <utility>
namespace std {
#define __HEDDLE_PARTS(TYPE)                                 \
  template <>                                                \
  struct tuple_size<const volatile TYPE> {                   \
    static constexpr __SIZE_TYPE__ value = 3;                \
  };                                                         \
  template <__SIZE_TYPE__ I>                                 \
  struct tuple_element<I, const volatile TYPE> {             \
    using type = unsigned int;                               \
  };
__HEDDLE_PARTS(__heddle_threadIdx_t)
__HEDDLE_PARTS(__heddle_blockIdx_t)
__HEDDLE_PARTS(__heddle_blockDim_t)
__HEDDLE_PARTS(__heddle_gridDim_t)
#undef __HEDDLE_PARTS
}  // namespace std

#include <cmath>
#include <math.h>
#include <stdlib.h>
#endif
