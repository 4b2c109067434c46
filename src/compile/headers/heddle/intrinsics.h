// CUDA's arithmetic intrinsics: operations with a stated rounding, conversions, approximate functions.
#pragma once
#pragma clang system_header

// Operations with each rounding. `rn` must not be fused with its neighbours, hence the functions instead of operators.
#define __HEDDLE_ROUNDED(CUDA, NVVM)                                                                                   \
  __HEDDLE_DEVICE__ float __fadd_##CUDA(float x, float y) { return __nvvm_add_##NVVM##_f(x, y); }                      \
  __HEDDLE_DEVICE__ float __fsub_##CUDA(float x, float y) { return __nvvm_add_##NVVM##_f(x, -y); }                     \
  __HEDDLE_DEVICE__ float __fmul_##CUDA(float x, float y) { return __nvvm_mul_##NVVM##_f(x, y); }                      \
  __HEDDLE_DEVICE__ float __fmaf_##CUDA(float x, float y, float z) { return __nvvm_fma_##NVVM##_f(x, y, z); }          \
  __HEDDLE_DEVICE__ float __fmaf_ieee_##CUDA(float x, float y, float z) { return __nvvm_fma_##NVVM##_f(x, y, z); }     \
  __HEDDLE_DEVICE__ float __fdiv_##CUDA(float x, float y) { return __nvvm_div_##NVVM##_f(x, y); }                      \
  __HEDDLE_DEVICE__ float __frcp_##CUDA(float x) { return __nvvm_rcp_##NVVM##_f(x); }                                  \
  __HEDDLE_DEVICE__ float __fsqrt_##CUDA(float x) { return __nvvm_sqrt_##NVVM##_f(x); }                                \
  __HEDDLE_DEVICE__ double __dadd_##CUDA(double x, double y) { return __nvvm_add_##NVVM##_d(x, y); }                   \
  __HEDDLE_DEVICE__ double __dsub_##CUDA(double x, double y) { return __nvvm_add_##NVVM##_d(x, -y); }                  \
  __HEDDLE_DEVICE__ double __dmul_##CUDA(double x, double y) { return __nvvm_mul_##NVVM##_d(x, y); }                   \
  __HEDDLE_DEVICE__ double __fma_##CUDA(double x, double y, double z) { return __nvvm_fma_##NVVM##_d(x, y, z); }       \
  __HEDDLE_DEVICE__ double __ddiv_##CUDA(double x, double y) { return __nvvm_div_##NVVM##_d(x, y); }                   \
  __HEDDLE_DEVICE__ double __drcp_##CUDA(double x) { return __nvvm_rcp_##NVVM##_d(x); }                                \
  __HEDDLE_DEVICE__ double __dsqrt_##CUDA(double x) { return __nvvm_sqrt_##NVVM##_d(x); }
__HEDDLE_ROUNDED(rn, rn)
__HEDDLE_ROUNDED(rz, rz)
__HEDDLE_ROUNDED(ru, rp)
__HEDDLE_ROUNDED(rd, rm)
#undef __HEDDLE_ROUNDED
// Correctly rounded through double precision: no float has a reciprocal root that near a tie.
__HEDDLE_DEVICE__ float __frsqrt_rn(float x) { return static_cast<float>(__heddle::rsqrt(static_cast<double>(x))); }

// Conversions. CUDA calls rounding up and down u and d, PTX p and m; all saturate, and NaN becomes 0 (or the top bit).
#define __HEDDLE_CONVERT_1(NAME, TO, FROM, INSTRUCTION, OUT, IN)          \
  __HEDDLE_DEVICE__ TO NAME(FROM x) {                                     \
    TO y;                                                                 \
    __asm__("cvt." INSTRUCTION " %0, %1;" : "=" OUT(y) : IN(x));          \
    return y;                                                             \
  }
#define __HEDDLE_CONVERT(NAME, TO, FROM, INTEGER, TYPES, OUT, IN)                      \
  __HEDDLE_CONVERT_1(__##NAME##_rn, TO, FROM, "rn" INTEGER "." TYPES, OUT, IN)         \
  __HEDDLE_CONVERT_1(__##NAME##_rz, TO, FROM, "rz" INTEGER "." TYPES, OUT, IN)         \
  __HEDDLE_CONVERT_1(__##NAME##_ru, TO, FROM, "rp" INTEGER "." TYPES, OUT, IN)         \
  __HEDDLE_CONVERT_1(__##NAME##_rd, TO, FROM, "rm" INTEGER "." TYPES, OUT, IN)
__HEDDLE_CONVERT(float2int, int, float, "i", "s32.f32", "r", "f")
__HEDDLE_CONVERT(float2uint, unsigned int, float, "i", "u32.f32", "r", "f")
__HEDDLE_CONVERT(float2ll, long long, float, "i", "s64.f32", "l", "f")
__HEDDLE_CONVERT(float2ull, unsigned long long, float, "i", "u64.f32", "l", "f")
__HEDDLE_CONVERT(double2int, int, double, "i", "s32.f64", "r", "d")
__HEDDLE_CONVERT(double2uint, unsigned int, double, "i", "u32.f64", "r", "d")
__HEDDLE_CONVERT(double2ll, long long, double, "i", "s64.f64", "l", "d")
__HEDDLE_CONVERT(double2ull, unsigned long long, double, "i", "u64.f64", "l", "d")
__HEDDLE_CONVERT(int2float, float, int, "", "f32.s32", "f", "r")
__HEDDLE_CONVERT(uint2float, float, unsigned int, "", "f32.u32", "f", "r")
__HEDDLE_CONVERT(ll2float, float, long long, "", "f32.s64", "f", "l")
__HEDDLE_CONVERT(ull2float, float, unsigned long long, "", "f32.u64", "f", "l")
__HEDDLE_CONVERT(ll2double, double, long long, "", "f64.s64", "d", "l")
__HEDDLE_CONVERT(ull2double, double, unsigned long long, "", "f64.u64", "d", "l")
__HEDDLE_CONVERT(double2float, float, double, "", "f32.f64", "f", "d")
#undef __HEDDLE_CONVERT
#undef __HEDDLE_CONVERT_1
__HEDDLE_DEVICE__ double __int2double_rn(int x) { return x; }
__HEDDLE_DEVICE__ double __uint2double_rn(unsigned int x) { return x; }

// Bits.
__HEDDLE_DEVICE__ int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__HEDDLE_DEVICE__ unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__HEDDLE_DEVICE__ float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__HEDDLE_DEVICE__ float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__HEDDLE_DEVICE__ long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__HEDDLE_DEVICE__ double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__HEDDLE_DEVICE__ int __double2hiint(double x) { return static_cast<int>(__builtin_bit_cast(unsigned long long, x) >> 32); }
__HEDDLE_DEVICE__ int __double2loint(double x) { return static_cast<int>(__builtin_bit_cast(unsigned long long, x)); }
__HEDDLE_DEVICE__ double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32) |
                                        static_cast<unsigned int>(low));
}

// Approximate functions: single machine instructions and what CUDA makes of them.
__HEDDLE_DEVICE__ float __sinf(float x) { return __nvvm_sin_approx_f(x); }
__HEDDLE_DEVICE__ float __cosf(float x) { return __nvvm_cos_approx_f(x); }
__HEDDLE_DEVICE__ void __sincosf(float x, float* s, float* c) {
  *s = __sinf(x);
  *c = __cosf(x);
}
__HEDDLE_DEVICE__ float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
__HEDDLE_DEVICE__ float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
__HEDDLE_DEVICE__ float __exp2f(float x) { return __nvvm_ex2_approx_f(x); }
__HEDDLE_DEVICE__ float __expf(float x) { return __exp2f(x * 0x1.715476p+0f); }
__HEDDLE_DEVICE__ float __exp10f(float x) { return __exp2f(x * 0x1.a934f0p+1f); }
__HEDDLE_DEVICE__ float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
__HEDDLE_DEVICE__ float __logf(float x) { return __log2f(x) * 0x1.62e430p-1f; }
__HEDDLE_DEVICE__ float __log10f(float x) { return __log2f(x) * 0x1.344136p-2f; }
__HEDDLE_DEVICE__ float __powf(float x, float y) { return __exp2f(y * __log2f(x)); }
__HEDDLE_DEVICE__ float __tanhf(float x) {
#if __CUDA_ARCH__ >= 750
  float y;
  __asm__("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return __heddle::tanh(x);
#endif
}
__HEDDLE_DEVICE__ float __saturatef(float x) {
  float y;
  __asm__("cvt.sat.f32.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__HEDDLE_DEVICE__ float saturate(float x) { return __saturatef(x); }
