// The intrinsics of the CUDA Math API.

extern "C" __global__ void single(const float* x, float* y) {
  y[0] = __fadd_rn(x[0], x[1]);
  y[1] = __fsub_rn(x[0], x[1]);
  y[2] = __fmul_rn(x[0], x[1]);
  y[3] = __fmaf_rn(x[0], x[1], x[2]);
  y[4] = __fdiv_rn(x[0], x[1]);
  y[5] = __frcp_rn(x[0]);
  y[6] = __fsqrt_rn(x[0]);
  y[7] = __fadd_rz(x[0], x[1]);
  y[8] = __fsub_rz(x[0], x[1]);
  y[9] = __fmul_rz(x[0], x[1]);
  y[10] = __fmaf_rz(x[0], x[1], x[2]);
  y[11] = __fdiv_rz(x[0], x[1]);
  y[12] = __frcp_rz(x[0]);
  y[13] = __fsqrt_rz(x[0]);
  y[14] = __fadd_ru(x[0], x[1]);
  y[15] = __fsub_ru(x[0], x[1]);
  y[16] = __fmul_ru(x[0], x[1]);
  y[17] = __fmaf_ru(x[0], x[1], x[2]);
  y[18] = __fdiv_ru(x[0], x[1]);
  y[19] = __frcp_ru(x[0]);
  y[20] = __fsqrt_ru(x[0]);
  y[21] = __fadd_rd(x[0], x[1]);
  y[22] = __fsub_rd(x[0], x[1]);
  y[23] = __fmul_rd(x[0], x[1]);
  y[24] = __fmaf_rd(x[0], x[1], x[2]);
  y[25] = __fdiv_rd(x[0], x[1]);
  y[26] = __frcp_rd(x[0]);
  y[27] = __fsqrt_rd(x[0]);
  y[28] = __frsqrt_rn(x[0]);
  y[29] = __sinf(x[0]);
  y[30] = __cosf(x[0]);
  y[31] = __tanf(x[0]);
  y[32] = __expf(x[0]);
  y[33] = __exp10f(x[0]);
  y[34] = __logf(x[0]);
  y[35] = __log2f(x[0]);
  y[36] = __log10f(x[0]);
  y[37] = __powf(x[0], x[1]);
  y[38] = __fdividef(x[0], x[1]);
  y[39] = __saturatef(x[0]);
  y[40] = fdividef(x[0], x[1]);
  __sincosf(x[0], &y[41], &y[42]);
}
extern "C" __global__ void wide(const double* x, double* y) {
  y[0] = __dadd_rn(x[0], x[1]);
  y[1] = __dsub_rn(x[0], x[1]);
  y[2] = __dmul_rn(x[0], x[1]);
  y[3] = __fma_rn(x[0], x[1], x[2]);
  y[4] = __ddiv_rn(x[0], x[1]);
  y[5] = __drcp_rn(x[0]);
  y[6] = __dsqrt_rn(x[0]);
  y[7] = __dadd_rz(x[0], x[1]);
  y[8] = __dsub_rz(x[0], x[1]);
  y[9] = __dmul_rz(x[0], x[1]);
  y[10] = __fma_rz(x[0], x[1], x[2]);
  y[11] = __ddiv_rz(x[0], x[1]);
  y[12] = __drcp_rz(x[0]);
  y[13] = __dsqrt_rz(x[0]);
  y[14] = __dadd_ru(x[0], x[1]);
  y[15] = __dsub_ru(x[0], x[1]);
  y[16] = __dmul_ru(x[0], x[1]);
  y[17] = __fma_ru(x[0], x[1], x[2]);
  y[18] = __ddiv_ru(x[0], x[1]);
  y[19] = __drcp_ru(x[0]);
  y[20] = __dsqrt_ru(x[0]);
  y[21] = __dadd_rd(x[0], x[1]);
  y[22] = __dsub_rd(x[0], x[1]);
  y[23] = __dmul_rd(x[0], x[1]);
  y[24] = __fma_rd(x[0], x[1], x[2]);
  y[25] = __ddiv_rd(x[0], x[1]);
  y[26] = __drcp_rd(x[0]);
  y[27] = __dsqrt_rd(x[0]);
}
extern "C" __global__ void conversions_rn(float* f, double* d, long long* l) {
  l[0] = __float2int_rn(f[0]);
  l[1] = __float2uint_rn(f[1]);
  l[2] = __float2ll_rn(f[2]);
  l[3] = __float2ull_rn(f[3]);
  l[4] = __double2int_rn(d[4]);
  l[5] = __double2uint_rn(d[5]);
  l[6] = __double2ll_rn(d[6]);
  l[7] = __double2ull_rn(d[7]);
  f[8] = __int2float_rn(l[8]);
  f[9] = __uint2float_rn(l[9]);
  f[10] = __ll2float_rn(l[10]);
  f[11] = __ull2float_rn(l[11]);
  d[12] = __ll2double_rn(l[12]);
  d[13] = __ull2double_rn(l[13]);
  f[14] = __double2float_rn(d[14]);
}

extern "C" __global__ void conversions_rz(float* f, double* d, long long* l) {
  l[0] = __float2int_rz(f[0]);
  l[1] = __float2uint_rz(f[1]);
  l[2] = __float2ll_rz(f[2]);
  l[3] = __float2ull_rz(f[3]);
  l[4] = __double2int_rz(d[4]);
  l[5] = __double2uint_rz(d[5]);
  l[6] = __double2ll_rz(d[6]);
  l[7] = __double2ull_rz(d[7]);
  f[8] = __int2float_rz(l[8]);
  f[9] = __uint2float_rz(l[9]);
  f[10] = __ll2float_rz(l[10]);
  f[11] = __ull2float_rz(l[11]);
  d[12] = __ll2double_rz(l[12]);
  d[13] = __ull2double_rz(l[13]);
  f[14] = __double2float_rz(d[14]);
}

extern "C" __global__ void conversions_ru(float* f, double* d, long long* l) {
  l[0] = __float2int_ru(f[0]);
  l[1] = __float2uint_ru(f[1]);
  l[2] = __float2ll_ru(f[2]);
  l[3] = __float2ull_ru(f[3]);
  l[4] = __double2int_ru(d[4]);
  l[5] = __double2uint_ru(d[5]);
  l[6] = __double2ll_ru(d[6]);
  l[7] = __double2ull_ru(d[7]);
  f[8] = __int2float_ru(l[8]);
  f[9] = __uint2float_ru(l[9]);
  f[10] = __ll2float_ru(l[10]);
  f[11] = __ull2float_ru(l[11]);
  d[12] = __ll2double_ru(l[12]);
  d[13] = __ull2double_ru(l[13]);
  f[14] = __double2float_ru(d[14]);
}

extern "C" __global__ void conversions_rd(float* f, double* d, long long* l) {
  l[0] = __float2int_rd(f[0]);
  l[1] = __float2uint_rd(f[1]);
  l[2] = __float2ll_rd(f[2]);
  l[3] = __float2ull_rd(f[3]);
  l[4] = __double2int_rd(d[4]);
  l[5] = __double2uint_rd(d[5]);
  l[6] = __double2ll_rd(d[6]);
  l[7] = __double2ull_rd(d[7]);
  f[8] = __int2float_rd(l[8]);
  f[9] = __uint2float_rd(l[9]);
  f[10] = __ll2float_rd(l[10]);
  f[11] = __ull2float_rd(l[11]);
  d[12] = __ll2double_rd(l[12]);
  d[13] = __ull2double_rd(l[13]);
  f[14] = __double2float_rd(d[14]);
}

extern "C" __global__ void bits(float* f, double* d, long long* l) {
  d[100] = __int2double_rn(l[100]);
  d[101] = __uint2double_rn(l[101]);
  l[102] = __float_as_int(f[102]) + __float_as_uint(f[103]) + __double_as_longlong(d[104]) + __double2hiint(d[105]) +
           __double2loint(d[106]);
  f[107] = __int_as_float(l[107]) + __uint_as_float(l[108]);
  d[109] = __longlong_as_double(l[109]) + __hiloint2double(l[110], l[111]);
}

extern "C" __global__ void integers(int* n, long long* l) {
  n[0] = __clz(n[1]) + __clzll(l[1]) + __popc(n[2]) + __popcll(l[2]) + __ffs(n[3]) + __ffsll(l[3]);
  n[1] = __brev(n[1]);
  l[4] = __brevll(l[4]);
  n[5] = __mulhi(n[5], n[6]) + __umulhi(n[7], n[8]);
  l[5] = __mul64hi(l[5], l[6]) + __umul64hi(l[7], l[8]);
  n[9] = __mul24(n[9], n[10]) + __umul24(n[11], n[12]) + __sad(n[13], n[14], n[15]) + __usad(n[16], n[17], n[18]);
  n[19] = __hadd(n[19], n[20]) + __rhadd(n[21], n[22]) + __uhadd(n[23], n[24]) + __urhadd(n[25], n[26]);
  n[27] = __byte_perm(n[27], n[28], n[29]) + __fns(n[30], n[31], n[32]);
  n[33] = __funnelshift_l(n[33], n[34], n[35]) + __funnelshift_lc(n[33], n[34], n[35]);
  n[36] = __funnelshift_r(n[36], n[37], n[38]) + __funnelshift_rc(n[36], n[37], n[38]);
  n[39] = __dp4a(n[39], n[40], n[41]) + __dp2a_lo(n[42], n[43], n[44]) + __dp2a_hi(n[45], n[46], n[47]);
  unsigned int* u = reinterpret_cast<unsigned int*>(n);
  u[48] = __dp4a(u[48], u[49], u[50]) + __dp2a_lo(u[51], u[52], u[53]) + __dp2a_hi(u[54], u[55], u[56]);
  char4* c = reinterpret_cast<char4*>(n);
  n[57] = __dp4a(c[57], c[58], n[59]) + __dp2a_lo(short2{1, 2}, c[60], n[61]);
  n[62] = min(n[62], 3) + max(u[62], 3u) + min(n[63], 4u) + umin(u[1], u[2]) + umax(u[3], u[4]);
  l[9] = min(l[9], l[10]) + max(l[11], l[12]) + llmin(l[1], l[2]) + llmax(l[3], l[4]) + abs(l[5]) + labs(3) + llabs(l[6]);
  l[13] = clock64() + clock() + __globaltimer();
}

extern "C" __global__ void simd_2(unsigned int* n) {
  n[0] = __vabs2(n[0]);
  n[1] = __vabsss2(n[0]);
  n[2] = __vneg2(n[0]);
  n[3] = __vnegss2(n[0]);
  n[4] = __vabsdiffs2(n[0], n[1]);
  n[5] = __vabsdiffu2(n[0], n[1]);
  n[6] = __vadd2(n[0], n[1]);
  n[7] = __vaddss2(n[0], n[1]);
  n[8] = __vaddus2(n[0], n[1]);
  n[9] = __vsub2(n[0], n[1]);
  n[10] = __vsubss2(n[0], n[1]);
  n[11] = __vsubus2(n[0], n[1]);
  n[12] = __vavgs2(n[0], n[1]);
  n[13] = __vavgu2(n[0], n[1]);
  n[14] = __vhaddu2(n[0], n[1]);
  n[15] = __vmaxs2(n[0], n[1]);
  n[16] = __vmaxu2(n[0], n[1]);
  n[17] = __vmins2(n[0], n[1]);
  n[18] = __vminu2(n[0], n[1]);
  n[19] = __vsads2(n[0], n[1]);
  n[20] = __vsadu2(n[0], n[1]);
  n[21] = __vcmpeq2(n[0], n[1]);
  n[22] = __vcmpne2(n[0], n[1]);
  n[23] = __vseteq2(n[0], n[1]);
  n[24] = __vsetne2(n[0], n[1]);
  n[25] = __vcmpges2(n[0], n[1]);
  n[26] = __vcmpgeu2(n[0], n[1]);
  n[27] = __vsetges2(n[0], n[1]);
  n[28] = __vsetgeu2(n[0], n[1]);
  n[29] = __vcmpgts2(n[0], n[1]);
  n[30] = __vcmpgtu2(n[0], n[1]);
  n[31] = __vsetgts2(n[0], n[1]);
  n[32] = __vsetgtu2(n[0], n[1]);
  n[33] = __vcmples2(n[0], n[1]);
  n[34] = __vcmpleu2(n[0], n[1]);
  n[35] = __vsetles2(n[0], n[1]);
  n[36] = __vsetleu2(n[0], n[1]);
  n[37] = __vcmplts2(n[0], n[1]);
  n[38] = __vcmpltu2(n[0], n[1]);
  n[39] = __vsetlts2(n[0], n[1]);
  n[40] = __vsetltu2(n[0], n[1]);
}

extern "C" __global__ void simd_4(unsigned int* n) {
  n[0] = __vabs4(n[0]);
  n[1] = __vabsss4(n[0]);
  n[2] = __vneg4(n[0]);
  n[3] = __vnegss4(n[0]);
  n[4] = __vabsdiffs4(n[0], n[1]);
  n[5] = __vabsdiffu4(n[0], n[1]);
  n[6] = __vadd4(n[0], n[1]);
  n[7] = __vaddss4(n[0], n[1]);
  n[8] = __vaddus4(n[0], n[1]);
  n[9] = __vsub4(n[0], n[1]);
  n[10] = __vsubss4(n[0], n[1]);
  n[11] = __vsubus4(n[0], n[1]);
  n[12] = __vavgs4(n[0], n[1]);
  n[13] = __vavgu4(n[0], n[1]);
  n[14] = __vhaddu4(n[0], n[1]);
  n[15] = __vmaxs4(n[0], n[1]);
  n[16] = __vmaxu4(n[0], n[1]);
  n[17] = __vmins4(n[0], n[1]);
  n[18] = __vminu4(n[0], n[1]);
  n[19] = __vsads4(n[0], n[1]);
  n[20] = __vsadu4(n[0], n[1]);
  n[21] = __vcmpeq4(n[0], n[1]);
  n[22] = __vcmpne4(n[0], n[1]);
  n[23] = __vseteq4(n[0], n[1]);
  n[24] = __vsetne4(n[0], n[1]);
  n[25] = __vcmpges4(n[0], n[1]);
  n[26] = __vcmpgeu4(n[0], n[1]);
  n[27] = __vsetges4(n[0], n[1]);
  n[28] = __vsetgeu4(n[0], n[1]);
  n[29] = __vcmpgts4(n[0], n[1]);
  n[30] = __vcmpgtu4(n[0], n[1]);
  n[31] = __vsetgts4(n[0], n[1]);
  n[32] = __vsetgtu4(n[0], n[1]);
  n[33] = __vcmples4(n[0], n[1]);
  n[34] = __vcmpleu4(n[0], n[1]);
  n[35] = __vsetles4(n[0], n[1]);
  n[36] = __vsetleu4(n[0], n[1]);
  n[37] = __vcmplts4(n[0], n[1]);
  n[38] = __vcmpltu4(n[0], n[1]);
  n[39] = __vsetlts4(n[0], n[1]);
  n[40] = __vsetltu4(n[0], n[1]);
}
