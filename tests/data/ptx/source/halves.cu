// Half precision and bfloat16, packed arithmetic, inline assembly with its scopes.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void halves(__half* h, __half2* h2, __nv_bfloat16* b, float* f) {
  int i = threadIdx.x;
  h[i] = __hfma(h[i], h[i], __float2half(0.5f)) + hsqrt(h[i]);
  h2[i] = __hmax2(__hadd2(h2[i], h2[i]), __half2half2(h[i]));
  b[i] = __float2bfloat16(f[i]) + b[i];
  f[i] = __half2float(h[i]) + __bfloat162float(b[i]);
}

__device__ __forceinline__ unsigned lane_mask(unsigned x) {
  unsigned result;
  asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tsetp.ne.u32 p, %1, 0;\n\t@p mov.u32 t, %%lanemask_lt;\n\t@!p mov.u32 t, 0;\n\t"
               "mov.u32 %0, t;\n\t}" : "=r"(result) : "r"(x));
  return result;
}
__device__ __forceinline__ void spin(volatile int* flag) {
  asm volatile("{\n\t.reg .pred q;\n\t.reg .b32 v;\nAGAIN:\n\tld.volatile.global.u32 v, [%0];\n\tsetp.eq.u32 q, v, 0;\n\t@q bra AGAIN;\n\t}"
               :: "l"(flag) : "memory");
}
extern "C" __global__ void inline_assembly(unsigned* out, int* flags) {
  out[threadIdx.x] = lane_mask(out[threadIdx.x]) + lane_mask(out[threadIdx.x + 1]);
  spin(flags);
  spin(flags + 1);
}
