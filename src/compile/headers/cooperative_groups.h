#pragma once
// Everything CUDA programs look for here is part of the prelude. The name space is known without this header, too: its
// text must not see macros of the program.
#pragma clang system_header
#include "heddle/cooperative_groups.h"
// NVIDIA's brings libcu++'s atomics with it.
#if __has_include(<cuda/atomic>)
#include <cuda/atomic>
#endif
