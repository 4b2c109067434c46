// half and bfloat16: arithmetic, comparisons, conversions, functions, for single values and pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename H, typename H2>
__device__ void common(H* h, H2* p, float* f, int* n) {
  h[0] = __hadd(h[1], h[2]);
  h[1] = __hsub(h[1], h[2]);
  h[2] = __hmul_rn(__hadd_rn(h[1], h[2]), __hsub_rn(h[3], h[4]));
  h[3] = __hdiv(__hmul(h[1], h[2]), __hneg(h[3]));
  h[4] = __hfma(__habs(h[1]), h[2], h[3]);
  h[5] = __hadd_sat(__hsub_sat(h[1], h[2]), __hmul_sat(h[3], __hfma_sat(h[4], h[5], h[6])));
  h[6] = __hfma_relu(h[1], h[2], h[3]);
  h[7] = __hmin(__hmax(h[1], h[2]), __hmin_nan(h[3], __hmax_nan(h[4], h[5])));
  n[0] = __heq(h[1], h[2]) + __hne(h[1], h[2]) + __hlt(h[1], h[2]) + __hle(h[1], h[2]) + __hgt(h[1], h[2]) + __hge(h[1], h[2]);
  n[1] = __hequ(h[1], h[2]) + __hneu(h[1], h[2]) + __hltu(h[1], h[2]) + __hleu(h[1], h[2]) + __hgtu(h[1], h[2]) + __hgeu(h[1], h[2]);
  n[2] = __hisnan(h[1]) + __hisinf(h[2]);
  p[0] = __hadd2(p[1], p[2]);
  p[1] = __hfma2(__hsub2(p[1], p[2]), __hmul2(p[3], p[4]), __h2div(p[5], p[6]));
  p[2] = __hneg2(__habs2(__hmin2(p[1], __hmax2(p[2], p[3]))));
  p[3] = __hadd2_sat(__heq2(p[1], p[2]), __hgtu2(p[3], p[4]));
  n[3] = __hbeq2(p[1], p[2]) + __hbneu2(p[3], p[4]) + __heq2_mask(p[1], p[2]);
  p[4] = __hcmadd(p[1], p[2], p[3]);
  p[5] = __hisnan2(p[5]);
  f[0] = __low2float(p[1]) + __high2float(p[2]) + static_cast<float>(h[1]);
  h[8] = hsin(h[1]);
  h[9] = hcos(hexp(hexp2(hexp10(hlog(hlog2(hlog10(hsqrt(hrsqrt(hrcp(htanh(h[1])))))))))));
  h[10] = hceil(hfloor(hrint(htrunc(h[1]))));
  p[6] = h2sin(h2cos(h2exp(h2log(h2sqrt(h2rsqrt(h2rcp(h2floor(p[7]))))))));
  h[11] = h[1] + h[2] * h[3] - h[4] / h[5];
  h[12] += h[13];
  h[13] -= h[14];
  h[14] *= h[15];
  h[15] /= -h[16];
  ++h[16];
  n[4] = (h[1] == h[2]) + (h[1] != h[2]) + (h[1] < h[2]) + (h[1] <= h[2]) + (h[1] > h[2]) + (h[1] >= h[2]);
  p[7] = p[1] + p[2] * p[3] - p[4] / -p[5];
  h[17] = H(1.5f);
  h[18] = H(2.5);
  h[19] = H(3);
  h[20] = n[5];
  h[21] = f[1];
  h[22] = __shfl_sync(0xffffffffu, h[1], 1);
  p[8] = __shfl_xor_sync(0xffffffffu, p[1], 1);
  h[23] = __ldg(h + 24);
  p[9] = __ldg(p + 10);
  __stcs(h + 25, h[1]);
  atomicAdd(h, h[26]);
  atomicAdd(p, p[11]);
  n[6] = static_cast<int>(h[27]);
}

extern "C" __global__ void half_common(half* h, half2* p, float* f, int* n) { common(h, p, f, n); }
extern "C" __global__ void bfloat16_common(__nv_bfloat16* h, __nv_bfloat162* p, float* f, int* n) { common(h, p, f, n); }

#define CONVERSIONS(NAME, PAIR, H, H2)                                                                                      \
  extern "C" __global__ void NAME##_conversions(H* h, H2* p, float* f, double* d, int* i, long long* l) {                   \
    h[0] = __float2##NAME(f[0]);                                                                                            \
    h[1] = __float2##NAME##_rn(f[0]);                                                                                       \
    h[2] = __float2##NAME##_rz(f[0]);                                                                                       \
    h[3] = __float2##NAME##_ru(f[0]);                                                                                       \
    h[4] = __float2##NAME##_rd(f[0]);                                                                                       \
    h[5] = __double2##NAME(d[0]);                                                                                           \
    f[1] = __##NAME##2float(h[6]);                                                                                          \
    p[0] = __float2##PAIR##_rn(f[2]);                                                                                       \
    p[1] = __floats2##PAIR##_rn(f[2], f[3]);                                                                                \
    p[2] = __float22##PAIR##_rn(float2{f[2], f[3]});                                                                        \
    f[4] = __##PAIR##2float2(p[3]).y;                                                                                       \
    h[7] = __low2##NAME(p[4]);                                                                                              \
    h[8] = __high2##NAME(p[4]);                                                                                             \
    p[5] = __low2##PAIR(p[6]);                                                                                              \
    p[6] = __high2##PAIR(p[6]);                                                                                             \
    p[7] = __lows2##PAIR(p[6], p[7]);                                                                                       \
    p[8] = __highs2##PAIR(p[6], p[7]);                                                                                      \
    p[9] = __##NAME##2##PAIR(h[1]);                                                                                         \
    p[10] = make_##PAIR(h[1], h[2]);                                                                                        \
    p[11] = __lowhigh2highlow(p[10]);                                                                                       \
    i[0] = __##NAME##_as_short(h[1]) + __##NAME##_as_ushort(h[2]);                                                          \
    h[9] = __short_as_##NAME(3);                                                                                            \
    h[10] = __ushort_as_##NAME(3);                                                                                          \
    i[1] = __##NAME##2int_rn(h[1]) + __##NAME##2int_rz(h[1]) + __##NAME##2int_ru(h[1]) + __##NAME##2int_rd(h[1]);           \
    i[2] = __##NAME##2uint_rn(h[1]) + __##NAME##2short_rz(h[1]) + __##NAME##2ushort_ru(h[1]) + __##NAME##2char_rz(h[1]);    \
    l[0] = __##NAME##2ll_rn(h[1]) + __##NAME##2ull_rd(h[1]);                                                                \
    h[11] = __int2##NAME##_rn(i[3]);                                                                                        \
    h[12] = __uint2##NAME##_rz(i[3]);                                                                                       \
    h[13] = __short2##NAME##_ru(i[3]);                                                                                      \
    h[14] = __ushort2##NAME##_rd(i[3]);                                                                                     \
    h[15] = __ll2##NAME##_rn(l[1]);                                                                                         \
    h[16] = __ull2##NAME##_rz(l[1]);                                                                                        \
  }
CONVERSIONS(half, half2, half, half2)
CONVERSIONS(bfloat16, bfloat162, __nv_bfloat16, __nv_bfloat162)

extern "C" __global__ void names(half2* p, __nv_bfloat162* q) {
  p[0] = __halves2half2(p[1].x, p[1].y);
  q[0] = __halves2bfloat162(q[1].x, q[1].y);
}
