// What the single precision functions become under fast math: forms around the machine's approximate instructions, as
// nvcc's -use_fast_math has it. Everything else is as in __heddle.
#pragma once
#pragma clang system_header

#include "exponential_f.h"
#include "logarithm_f.h"
#include "trigonometry_f.h"

namespace __heddle_fast {

using namespace __heddle;

__HEDDLE_MATH__ float sin(float x) { return __nvvm_sin_approx_f(x); }
__HEDDLE_MATH__ float cos(float x) { return __nvvm_cos_approx_f(x); }
__HEDDLE_MATH__ float tan(float x) { return __nvvm_div_approx_f(sin(x), cos(x)); }
__HEDDLE_MATH__ void sincos(float x, float* s, float* c) {
  *s = sin(x);
  *c = cos(x);
}
__HEDDLE_MATH__ float exp2(float x) { return __nvvm_ex2_approx_f(x); }
__HEDDLE_MATH__ float exp(float x) { return exp2(x * 0x1.715476p+0f); }
__HEDDLE_MATH__ float exp10(float x) { return exp2(x * 0x1.a934f0p+1f); }
__HEDDLE_MATH__ float log2(float x) { return __nvvm_lg2_approx_f(x); }
__HEDDLE_MATH__ float log(float x) { return log2(x) * 0x1.62e430p-1f; }
__HEDDLE_MATH__ float log10(float x) { return log2(x) * 0x1.344136p-2f; }
__HEDDLE_MATH__ float pow(float x, float y) { return exp2(y * log2(x)); }
__HEDDLE_MATH__ float sqrt(float x) { return __nvvm_sqrt_approx_f(x); }

}  // namespace __heddle_fast
