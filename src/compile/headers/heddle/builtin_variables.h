// threadIdx, blockIdx, blockDim, gridDim and warpSize: names whose components read special registers.
#pragma once
#pragma clang system_header

#include "vector_types.h"

#define __HEDDLE_COMPONENT(FIELD, REGISTER)                                  \
  __declspec(property(get = __get_##FIELD)) unsigned int FIELD;              \
  static __inline__ __attribute__((always_inline, nodebug, device)) unsigned int __get_##FIELD() { \
    return __nvvm_read_ptx_sreg_##REGISTER();                                \
  }

// Nobody may copy or make one: only the names below exist, and they take no storage.
#define __HEDDLE_INDEX(TYPE, REGISTER, VALUE)                                                  \
  struct TYPE {                                                                                \
    __HEDDLE_COMPONENT(x, REGISTER##_x)                                                        \
    __HEDDLE_COMPONENT(y, REGISTER##_y)                                                        \
    __HEDDLE_COMPONENT(z, REGISTER##_z)                                                        \
    __attribute__((device)) operator VALUE() const { return VALUE{x, y, z}; }                  \
    __HEDDLE_INDEX_AS_##VALUE                                                                  \
    TYPE(const TYPE&) = delete;                                                                \
    TYPE& operator=(const TYPE&) = delete;                                                     \
                                                                                               \
   private:                                                                                    \
    TYPE() = default;                                                                          \
  };
#define __HEDDLE_INDEX_AS_uint3 \
  __attribute__((device)) operator dim3() const { return dim3(x, y, z); }
#define __HEDDLE_INDEX_AS_dim3 \
  __attribute__((device)) operator uint3() const { return uint3{x, y, z}; }

__HEDDLE_INDEX(__heddle_threadIdx_t, tid, uint3)
__HEDDLE_INDEX(__heddle_blockIdx_t, ctaid, uint3)
__HEDDLE_INDEX(__heddle_blockDim_t, ntid, dim3)
__HEDDLE_INDEX(__heddle_gridDim_t, nctaid, dim3)

#undef __HEDDLE_INDEX
#undef __HEDDLE_INDEX_AS_uint3
#undef __HEDDLE_INDEX_AS_dim3
#undef __HEDDLE_COMPONENT

extern const __attribute__((device, weak)) __heddle_threadIdx_t threadIdx;
extern const __attribute__((device, weak)) __heddle_blockIdx_t blockIdx;
extern const __attribute__((device, weak)) __heddle_blockDim_t blockDim;
extern const __attribute__((device, weak)) __heddle_gridDim_t gridDim;

__attribute__((device)) const int warpSize = 32;
