// Atomic functions: atomicAdd and its relatives, over the device, and in their _block and _system forms.
#pragma once
#pragma clang system_header

// Through the compiler's own atomics, so that it can tell which memory they work on. All are relaxed, as CUDA's are.
#define __HEDDLE_ATOMIC(SUFFIX, SCOPE)                                                                                 \
  __HEDDLE_ATOMIC_FETCH(atomicAdd##SUFFIX, add, SCOPE, int, int)                                                       \
  __HEDDLE_ATOMIC_FETCH(atomicAdd##SUFFIX, add, SCOPE, unsigned int, unsigned int)                                     \
  __HEDDLE_ATOMIC_FETCH(atomicAdd##SUFFIX, add, SCOPE, unsigned long long, unsigned long long)                         \
  __HEDDLE_ATOMIC_FETCH(atomicAdd##SUFFIX, add, SCOPE, float, float)                                                   \
  __HEDDLE_ATOMIC_FETCH(atomicAdd##SUFFIX, add, SCOPE, double, double)                                                 \
  __HEDDLE_ATOMIC_FETCH(atomicSub##SUFFIX, sub, SCOPE, int, int)                                                       \
  __HEDDLE_ATOMIC_FETCH(atomicSub##SUFFIX, sub, SCOPE, unsigned int, unsigned int)                                     \
  __HEDDLE_ATOMIC_ALL(atomicMin##SUFFIX, min, SCOPE)                                                                   \
  __HEDDLE_ATOMIC_FETCH(atomicMin##SUFFIX, min, SCOPE, long long, long long)                                           \
  __HEDDLE_ATOMIC_ALL(atomicMax##SUFFIX, max, SCOPE)                                                                   \
  __HEDDLE_ATOMIC_FETCH(atomicMax##SUFFIX, max, SCOPE, long long, long long)                                           \
  __HEDDLE_ATOMIC_ALL(atomicAnd##SUFFIX, and, SCOPE)                                                                   \
  __HEDDLE_ATOMIC_FETCH(atomicAnd##SUFFIX, and, SCOPE, long long, long long)                                           \
  __HEDDLE_ATOMIC_ALL(atomicOr##SUFFIX, or, SCOPE)                                                                     \
  __HEDDLE_ATOMIC_FETCH(atomicOr##SUFFIX, or, SCOPE, long long, long long)                                             \
  __HEDDLE_ATOMIC_ALL(atomicXor##SUFFIX, xor, SCOPE)                                                                   \
  __HEDDLE_ATOMIC_FETCH(atomicXor##SUFFIX, xor, SCOPE, long long, long long)                                           \
  __HEDDLE_ATOMIC_EXCHANGE(atomicExch##SUFFIX, SCOPE, int, int)                                                        \
  __HEDDLE_ATOMIC_EXCHANGE(atomicExch##SUFFIX, SCOPE, unsigned int, unsigned int)                                      \
  __HEDDLE_ATOMIC_EXCHANGE(atomicExch##SUFFIX, SCOPE, unsigned long long, unsigned long long)                          \
  __HEDDLE_ATOMIC_EXCHANGE(atomicExch##SUFFIX, SCOPE, float, unsigned int)                                             \
  __HEDDLE_ATOMIC_COMPARE(atomicCAS##SUFFIX, SCOPE, int)                                                               \
  __HEDDLE_ATOMIC_COMPARE(atomicCAS##SUFFIX, SCOPE, unsigned int)                                                      \
  __HEDDLE_ATOMIC_COMPARE(atomicCAS##SUFFIX, SCOPE, unsigned long long)

#define __HEDDLE_ATOMIC_FETCH(NAME, OPERATION, SCOPE, T, V)                                    \
  __HEDDLE_DEVICE__ T NAME(T* address, V value) {                                              \
    return __scoped_atomic_fetch_##OPERATION(address, value, __ATOMIC_RELAXED, SCOPE);         \
  }
#define __HEDDLE_ATOMIC_ALL(NAME, OPERATION, SCOPE)                              \
  __HEDDLE_ATOMIC_FETCH(NAME, OPERATION, SCOPE, int, int)                        \
  __HEDDLE_ATOMIC_FETCH(NAME, OPERATION, SCOPE, unsigned int, unsigned int)      \
  __HEDDLE_ATOMIC_FETCH(NAME, OPERATION, SCOPE, unsigned long long, unsigned long long)
#define __HEDDLE_ATOMIC_EXCHANGE(NAME, SCOPE, T, BITS)                                                               \
  __HEDDLE_DEVICE__ T NAME(T* address, T value) {                                                                    \
    return __builtin_bit_cast(T, __scoped_atomic_exchange_n(reinterpret_cast<BITS*>(address),                        \
                                                            __builtin_bit_cast(BITS, value), __ATOMIC_RELAXED, SCOPE)); \
  }
#define __HEDDLE_ATOMIC_COMPARE(NAME, SCOPE, T)                                                                    \
  __HEDDLE_DEVICE__ T NAME(T* address, T expected, T value) {                                                      \
    __scoped_atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, SCOPE); \
    return expected;                                                                                               \
  }
__HEDDLE_ATOMIC(, __MEMORY_SCOPE_DEVICE)
__HEDDLE_ATOMIC(_block, __MEMORY_SCOPE_WRKGRP)
#undef __HEDDLE_ATOMIC
#undef __HEDDLE_ATOMIC_FETCH
#undef __HEDDLE_ATOMIC_ALL
#undef __HEDDLE_ATOMIC_EXCHANGE
#undef __HEDDLE_ATOMIC_COMPARE

// Counting up to a limit and round, and down.
__HEDDLE_DEVICE__ unsigned int atomicInc(unsigned int* p, unsigned int v) { return __nvvm_atom_inc_gen_ui(p, v); }
__HEDDLE_DEVICE__ unsigned int atomicDec(unsigned int* p, unsigned int v) { return __nvvm_atom_dec_gen_ui(p, v); }
__HEDDLE_DEVICE__ unsigned int atomicInc_block(unsigned int* p, unsigned int v) {
  return __nvvm_atom_cta_inc_gen_ui(p, v);
}
__HEDDLE_DEVICE__ unsigned int atomicDec_block(unsigned int* p, unsigned int v) {
  return __nvvm_atom_cta_dec_gen_ui(p, v);
}
__HEDDLE_DEVICE__ unsigned int atomicInc_system(unsigned int* p, unsigned int v) {
  return __nvvm_atom_sys_inc_gen_ui(p, v);
}
__HEDDLE_DEVICE__ unsigned int atomicDec_system(unsigned int* p, unsigned int v) {
  return __nvvm_atom_sys_dec_gen_ui(p, v);
}

// LLVM forgets the scope of its atomics here, which does no harm where the device's is the wider one. For the whole system
// it takes the instructions themselves.
#define __HEDDLE_SYSTEM(NAME, OPERATION, T, C, V)                                                                 \
  __HEDDLE_DEVICE__ T NAME##_system(T* p, V v) {                                                                  \
    T old;                                                                                                        \
    __asm__ volatile("atom.sys." OPERATION " %0, [%1], %2;" : "=" C(old) : "l"(p), C(v) : "memory");              \
    return old;                                                                                                   \
  }
#define __HEDDLE_SYSTEM_BITS(NAME, OPERATION)                                        \
  __HEDDLE_SYSTEM(NAME, OPERATION ".b32", int, "r", int)                             \
  __HEDDLE_SYSTEM(NAME, OPERATION ".b32", unsigned int, "r", unsigned int)           \
  __HEDDLE_SYSTEM(NAME, OPERATION ".b64", unsigned long long, "l", unsigned long long)
#define __HEDDLE_SYSTEM_ORDER(NAME, OPERATION)                                       \
  __HEDDLE_SYSTEM(NAME, OPERATION ".s32", int, "r", int)                             \
  __HEDDLE_SYSTEM(NAME, OPERATION ".u32", unsigned int, "r", unsigned int)           \
  __HEDDLE_SYSTEM(NAME, OPERATION ".s64", long long, "l", long long)                 \
  __HEDDLE_SYSTEM(NAME, OPERATION ".u64", unsigned long long, "l", unsigned long long)
__HEDDLE_SYSTEM(atomicAdd, "add.s32", int, "r", int)
__HEDDLE_SYSTEM(atomicAdd, "add.u32", unsigned int, "r", unsigned int)
__HEDDLE_SYSTEM(atomicAdd, "add.u64", unsigned long long, "l", unsigned long long)
__HEDDLE_SYSTEM(atomicAdd, "add.f32", float, "f", float)
__HEDDLE_SYSTEM(atomicAdd, "add.f64", double, "d", double)
__HEDDLE_SYSTEM_ORDER(atomicMin, "min")
__HEDDLE_SYSTEM_ORDER(atomicMax, "max")
__HEDDLE_SYSTEM_BITS(atomicAnd, "and")
__HEDDLE_SYSTEM(atomicAnd, "and.b64", long long, "l", long long)
__HEDDLE_SYSTEM_BITS(atomicOr, "or")
__HEDDLE_SYSTEM(atomicOr, "or.b64", long long, "l", long long)
__HEDDLE_SYSTEM_BITS(atomicXor, "xor")
__HEDDLE_SYSTEM(atomicXor, "xor.b64", long long, "l", long long)
__HEDDLE_SYSTEM_BITS(atomicExch, "exch")
__HEDDLE_SYSTEM(atomicExch, "exch.b32", float, "f", float)
__HEDDLE_DEVICE__ int atomicSub_system(int* p, int v) { return atomicAdd_system(p, -v); }
__HEDDLE_DEVICE__ unsigned int atomicSub_system(unsigned int* p, unsigned int v) { return atomicAdd_system(p, 0u - v); }
#undef __HEDDLE_SYSTEM
#undef __HEDDLE_SYSTEM_BITS
#undef __HEDDLE_SYSTEM_ORDER
#define __HEDDLE_SYSTEM_COMPARE(T, BITS, C)                                                                           \
  __HEDDLE_DEVICE__ T atomicCAS_system(T* p, T expected, T v) {                                                       \
    T old;                                                                                                            \
    __asm__ volatile("atom.sys.cas." BITS " %0, [%1], %2, %3;" : "=" C(old) : "l"(p), C(expected), C(v) : "memory");  \
    return old;                                                                                                       \
  }
__HEDDLE_SYSTEM_COMPARE(int, "b32", "r")
__HEDDLE_SYSTEM_COMPARE(unsigned int, "b32", "r")
__HEDDLE_SYSTEM_COMPARE(unsigned long long, "b64", "l")
#undef __HEDDLE_SYSTEM_COMPARE

// 16 bits.
#define __HEDDLE_ATOMIC_SHORT(SUFFIX, SCOPE)                                                                        \
  __HEDDLE_DEVICE__ unsigned short atomicCAS##SUFFIX(unsigned short* p, unsigned short expected, unsigned short v) { \
    unsigned short old;                                                                                             \
    __asm__ volatile("atom" SCOPE ".cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(expected), "h"(v) : "memory"); \
    return old;                                                                                                     \
  }
__HEDDLE_ATOMIC_SHORT(, "")
__HEDDLE_ATOMIC_SHORT(_block, ".cta")
__HEDDLE_ATOMIC_SHORT(_system, ".sys")
#undef __HEDDLE_ATOMIC_SHORT

// 128 bits, for any type of that size.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900  // the host's side reads kernels too
template <typename T>
__HEDDLE_DEVICE__ typename __heddle_if<sizeof(T) == 16, T>::type atomicCAS(T* p, T expected, T value) {
  struct words { unsigned long long a, b; };
  words e = __builtin_bit_cast(words, expected), v = __builtin_bit_cast(words, value), old;
  __asm__ volatile("{ .reg .b128 e, v, o; mov.b128 e, {%3, %4}; mov.b128 v, {%5, %6};\n"
                   "atom.relaxed.gpu.cas.b128 o, [%2], e, v; mov.b128 {%0, %1}, o; }"
                   : "=l"(old.a), "=l"(old.b) : "l"(p), "l"(e.a), "l"(e.b), "l"(v.a), "l"(v.b) : "memory");
  return __builtin_bit_cast(T, old);
}
template <typename T>
__HEDDLE_DEVICE__ typename __heddle_if<sizeof(T) == 16, T>::type atomicExch(T* p, T value) {
  struct words { unsigned long long a, b; };
  words v = __builtin_bit_cast(words, value), old;
  __asm__ volatile("{ .reg .b128 v, o; mov.b128 v, {%3, %4};\n"
                   "atom.relaxed.gpu.exch.b128 o, [%2], v; mov.b128 {%0, %1}, o; }"
                   : "=l"(old.a), "=l"(old.b) : "l"(p), "l"(v.a), "l"(v.b) : "memory");
  return __builtin_bit_cast(T, old);
}
#else
template <typename T>
__device__ typename __heddle_if<sizeof(T) == 16, T>::type atomicCAS(T* p, T expected, T value)
    __attribute__((unavailable("128-bit atomics need CompileOptions::arch sm_90 or later")));
template <typename T>
__device__ typename __heddle_if<sizeof(T) == 16, T>::type atomicExch(T* p, T value)
    __attribute__((unavailable("128-bit atomics need CompileOptions::arch sm_90 or later")));
#endif

// Vectors of floats, as later GPUs add in one instruction: here one component after the other, as CUDA permits.
#define __HEDDLE_ATOMIC_VECTORS(ADD)                                                                  \
  __HEDDLE_DEVICE__ float2 ADD(float2* p, float2 v) { return {ADD(&p->x, v.x), ADD(&p->y, v.y)}; }    \
  __HEDDLE_DEVICE__ float4 ADD(float4* p, float4 v) {                                                 \
    return {ADD(&p->x, v.x), ADD(&p->y, v.y), ADD(&p->z, v.z), ADD(&p->w, v.w)};                      \
  }
__HEDDLE_ATOMIC_VECTORS(atomicAdd)
__HEDDLE_ATOMIC_VECTORS(atomicAdd_block)
__HEDDLE_ATOMIC_VECTORS(atomicAdd_system)
#undef __HEDDLE_ATOMIC_VECTORS
