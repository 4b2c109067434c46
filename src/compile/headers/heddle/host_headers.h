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

#include <cmath>
#include <math.h>
#include <stdlib.h>
#endif
