// Asynchronous copies from global to shared memory, in batches: the functions that the CUDA C++ Programming Guide calls
// pipeline primitives. A thread waits for its own copies; the others of its block see them after a barrier.
#pragma once
#pragma GCC system_header
#include "heddle/prelude.h"
#include "heddle/hide_macros.h"

// The first size - zfill bytes come from `from`, the last zfill are zeros. `size` is 4, 8 or 16, and both addresses are
// multiples of it. Before sm_80, which has no such instruction, the copy is done at once.
__HEDDLE_DEVICE__ void __pipeline_memcpy_async(void* __restrict__ to, const void* __restrict__ from, __SIZE_TYPE__ size,
                                               __SIZE_TYPE__ zfill = 0) {
  if ((size != 4 && size != 8 && size != 16) || zfill > size) __trap();
#if __CUDA_ARCH__ >= 800
  const unsigned int shared = static_cast<unsigned int>(__cvta_generic_to_shared(to));
  const __SIZE_TYPE__ global = __cvta_generic_to_global(from);
  const unsigned int count = static_cast<unsigned int>(size - zfill);
  if (size == 4) {
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global), "r"(count) : "memory");
  } else if (size == 8) {
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(global), "r"(count) : "memory");
  } else {
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(count) : "memory");
  }
#else
  for (__SIZE_TYPE__ i = 0; i < size; ++i) {
    static_cast<char*>(to)[i] = i < size - zfill ? static_cast<const char*>(from)[i] : 0;
  }
#endif
}

// Closes the batch of the copies made since the last one.
__HEDDLE_DEVICE__ void __pipeline_commit() {
#if __CUDA_ARCH__ >= 800
  __asm__ volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all batches but the last `count` are done. The instruction takes a constant; it waits for more than it
// has to where the count is greater than the greatest here.
__HEDDLE_DEVICE__ void __pipeline_wait_prior(__SIZE_TYPE__ count) {
#if __CUDA_ARCH__ >= 800
#define __HEDDLE_WAIT_PRIOR(N) __asm__ volatile("cp.async.wait_group " #N ";" ::: "memory")
  switch (count) {
    case 0: __HEDDLE_WAIT_PRIOR(0); break;
    case 1: __HEDDLE_WAIT_PRIOR(1); break;
    case 2: __HEDDLE_WAIT_PRIOR(2); break;
    case 3: __HEDDLE_WAIT_PRIOR(3); break;
    case 4: __HEDDLE_WAIT_PRIOR(4); break;
    case 5: __HEDDLE_WAIT_PRIOR(5); break;
    case 6: __HEDDLE_WAIT_PRIOR(6); break;
    case 7: __HEDDLE_WAIT_PRIOR(7); break;
    default: __HEDDLE_WAIT_PRIOR(8); break;
  }
#undef __HEDDLE_WAIT_PRIOR
#endif
}
#include "heddle/show_macros.h"
