// threadIdx, blockIdx, blockDim, gridDim and warpSize.
//
// In CUDA the first four are of type const uint3 and const dim3. Here each has a type of its own, whose components are
// properties. The variables are volatile, copies of them (auto t = threadIdx) are not: the components of a variable are
// special registers, those of a copy are its own and may be changed.
#pragma once
#pragma clang system_header

#include "vector_types.h"

#define __HEDDLE_MEMBER(...) __inline__ __attribute__((always_inline, nodebug, __VA_ARGS__))
#define __HEDDLE_OWN(FIELD, QUALIFIER)                                                                     \
  __HEDDLE_MEMBER(host, device) unsigned int __get_##FIELD() QUALIFIER { return __##FIELD; }
#define __HEDDLE_COMPONENT(FIELD, REGISTER)                                                                \
  unsigned int __##FIELD;                                                                                  \
  __declspec(property(get = __get_##FIELD, put = __put_##FIELD)) unsigned int FIELD;                       \
  __HEDDLE_MEMBER(device) unsigned int __get_##FIELD() const volatile {                                    \
    return __nvvm_read_ptx_sreg_##REGISTER();                                                              \
  }                                                                                                        \
  __HEDDLE_OWN(FIELD, )                                                                                    \
  __HEDDLE_OWN(FIELD, const)                                                                               \
  __HEDDLE_OWN(FIELD, volatile)                                                                            \
  __HEDDLE_MEMBER(host, device) void __put_##FIELD(unsigned int value) { __##FIELD = value; }              \
  __HEDDLE_MEMBER(host, device) void __put_##FIELD(unsigned int value) volatile { __##FIELD = value; }

// Copies are made and assigned by templates where the source is volatile, so that the types are trivial ones. get() is
// for `auto& [x, y, z] = threadIdx`: host_headers.h.
#define __HEDDLE_INDEX(TYPE, REGISTER)                                                                               \
  struct TYPE {                                                                                                      \
    __HEDDLE_COMPONENT(x, REGISTER##_x)                                                                              \
    __HEDDLE_COMPONENT(y, REGISTER##_y)                                                                              \
    __HEDDLE_COMPONENT(z, REGISTER##_z)                                                                              \
    TYPE() = default;                                                                                                \
    TYPE(const TYPE&) = default;                                                                                     \
    TYPE& operator=(const TYPE&) = default;                                                                          \
    template <class T, class = typename __heddle_if<__is_same(T, TYPE), T>::type>                                    \
    __HEDDLE_MEMBER(device) TYPE(const volatile T& from) : __x(from.x), __y(from.y), __z(from.z) {}                  \
    template <class T, class = typename __heddle_if<__is_same(T, TYPE), T>::type>                                    \
    __HEDDLE_MEMBER(device) TYPE(volatile T& from) : __x(from.x), __y(from.y), __z(from.z) {}                        \
    template <class T>                                                                                               \
    __HEDDLE_MEMBER(device) typename __heddle_if<__is_same(T, TYPE), T&>::type operator=(const volatile T& from) {   \
      return *this = TYPE(from);                                                                                     \
    }                                                                                                                \
    __HEDDLE_MEMBER(host, device) TYPE& operator=(const uint3& from) {                                                \
      x = from.x, y = from.y, z = from.z;                                                                            \
      return *this;                                                                                                  \
    }                                                                                                                \
    __HEDDLE_MEMBER(device) operator uint3() const volatile { return uint3{x, y, z}; }                               \
    __HEDDLE_MEMBER(device) operator dim3() const volatile { return dim3(x, y, z); }                                 \
    __HEDDLE_MEMBER(host, device) operator uint3() const { return uint3{x, y, z}; }                                   \
    __HEDDLE_MEMBER(host, device) operator dim3() const { return dim3(x, y, z); }                                     \
    void operator&() const volatile = delete;                                                                        \
    __HEDDLE_MEMBER(host, device) const TYPE* operator&() const { return this; }                                      \
    __HEDDLE_MEMBER(host, device) TYPE* operator&() { return this; }                                                  \
    template <__SIZE_TYPE__ I>                                                                                       \
    __HEDDLE_MEMBER(device) unsigned int get() const volatile {                                                      \
      return I == 0 ? x : I == 1 ? y : z;                                                                            \
    }                                                                                                                \
  };

__HEDDLE_INDEX(__heddle_threadIdx_t, tid)
__HEDDLE_INDEX(__heddle_blockIdx_t, ctaid)
__HEDDLE_INDEX(__heddle_blockDim_t, ntid)
__HEDDLE_INDEX(__heddle_gridDim_t, nctaid)

#undef __HEDDLE_INDEX
#undef __HEDDLE_COMPONENT
#undef __HEDDLE_OWN
#undef __HEDDLE_MEMBER

// What they hold is not read. They are there for references to them.
__attribute__((device)) static const volatile __heddle_threadIdx_t threadIdx = __heddle_threadIdx_t();
__attribute__((device)) static const volatile __heddle_blockIdx_t blockIdx = __heddle_blockIdx_t();
__attribute__((device)) static const volatile __heddle_blockDim_t blockDim = __heddle_blockDim_t();
__attribute__((device)) static const volatile __heddle_gridDim_t gridDim = __heddle_gridDim_t();

__attribute__((device)) const int warpSize = 32;
