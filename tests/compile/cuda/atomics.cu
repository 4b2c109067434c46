// Atomic functions in all types and scopes.

extern "C" __global__ void device_scope(int* i, unsigned int* u, unsigned long long* l, long long* s, float* f, double* d, unsigned short* h) {
  atomicAdd(i, i[1]);
  atomicMin(i, i[1]);
  atomicMax(i, i[1]);
  atomicAnd(i, i[1]);
  atomicOr(i, i[1]);
  atomicXor(i, i[1]);
  atomicExch(i, i[1]);
  i[2] = atomicCAS(i, i[3], i[4]);
  atomicAdd(u, u[1]);
  atomicMin(u, u[1]);
  atomicMax(u, u[1]);
  atomicAnd(u, u[1]);
  atomicOr(u, u[1]);
  atomicXor(u, u[1]);
  atomicExch(u, u[1]);
  u[2] = atomicCAS(u, u[3], u[4]);
  atomicAdd(l, l[1]);
  atomicMin(l, l[1]);
  atomicMax(l, l[1]);
  atomicAnd(l, l[1]);
  atomicOr(l, l[1]);
  atomicXor(l, l[1]);
  atomicExch(l, l[1]);
  l[2] = atomicCAS(l, l[3], l[4]);
  atomicSub(i, i[5]);
  atomicSub(u, u[5]);
  u[6] = atomicInc(u, u[7]);
  u[8] = atomicDec(u, u[9]);
  f[1] = atomicAdd(f, f[2]);
  f[3] = atomicExch(f, f[4]);
  d[1] = atomicAdd(d, d[2]);
  atomicMin(s, s[1]);
  atomicMax(s, s[2]);
  atomicAnd(s, s[3]);
  atomicOr(s, s[4]);
  atomicXor(s, s[5]);
  h[2] = atomicCAS(h, h[0], h[1]);
}

extern "C" __global__ void block_scope(int* i, unsigned int* u, unsigned long long* l, long long* s, float* f, double* d, unsigned short* h) {
  atomicAdd_block(i, i[1]);
  atomicMin_block(i, i[1]);
  atomicMax_block(i, i[1]);
  atomicAnd_block(i, i[1]);
  atomicOr_block(i, i[1]);
  atomicXor_block(i, i[1]);
  atomicExch_block(i, i[1]);
  i[2] = atomicCAS_block(i, i[3], i[4]);
  atomicAdd_block(u, u[1]);
  atomicMin_block(u, u[1]);
  atomicMax_block(u, u[1]);
  atomicAnd_block(u, u[1]);
  atomicOr_block(u, u[1]);
  atomicXor_block(u, u[1]);
  atomicExch_block(u, u[1]);
  u[2] = atomicCAS_block(u, u[3], u[4]);
  atomicAdd_block(l, l[1]);
  atomicMin_block(l, l[1]);
  atomicMax_block(l, l[1]);
  atomicAnd_block(l, l[1]);
  atomicOr_block(l, l[1]);
  atomicXor_block(l, l[1]);
  atomicExch_block(l, l[1]);
  l[2] = atomicCAS_block(l, l[3], l[4]);
  atomicSub_block(i, i[5]);
  atomicSub_block(u, u[5]);
  u[6] = atomicInc_block(u, u[7]);
  u[8] = atomicDec_block(u, u[9]);
  f[1] = atomicAdd_block(f, f[2]);
  f[3] = atomicExch_block(f, f[4]);
  d[1] = atomicAdd_block(d, d[2]);
  atomicMin_block(s, s[1]);
  atomicMax_block(s, s[2]);
  atomicAnd_block(s, s[3]);
  atomicOr_block(s, s[4]);
  atomicXor_block(s, s[5]);
  h[2] = atomicCAS_block(h, h[0], h[1]);
}

extern "C" __global__ void system_scope(int* i, unsigned int* u, unsigned long long* l, long long* s, float* f, double* d, unsigned short* h) {
  atomicAdd_system(i, i[1]);
  atomicMin_system(i, i[1]);
  atomicMax_system(i, i[1]);
  atomicAnd_system(i, i[1]);
  atomicOr_system(i, i[1]);
  atomicXor_system(i, i[1]);
  atomicExch_system(i, i[1]);
  i[2] = atomicCAS_system(i, i[3], i[4]);
  atomicAdd_system(u, u[1]);
  atomicMin_system(u, u[1]);
  atomicMax_system(u, u[1]);
  atomicAnd_system(u, u[1]);
  atomicOr_system(u, u[1]);
  atomicXor_system(u, u[1]);
  atomicExch_system(u, u[1]);
  u[2] = atomicCAS_system(u, u[3], u[4]);
  atomicAdd_system(l, l[1]);
  atomicMin_system(l, l[1]);
  atomicMax_system(l, l[1]);
  atomicAnd_system(l, l[1]);
  atomicOr_system(l, l[1]);
  atomicXor_system(l, l[1]);
  atomicExch_system(l, l[1]);
  l[2] = atomicCAS_system(l, l[3], l[4]);
  atomicSub_system(i, i[5]);
  atomicSub_system(u, u[5]);
  u[6] = atomicInc_system(u, u[7]);
  u[8] = atomicDec_system(u, u[9]);
  f[1] = atomicAdd_system(f, f[2]);
  f[3] = atomicExch_system(f, f[4]);
  d[1] = atomicAdd_system(d, d[2]);
  atomicMin_system(s, s[1]);
  atomicMax_system(s, s[2]);
  atomicAnd_system(s, s[3]);
  atomicOr_system(s, s[4]);
  atomicXor_system(s, s[5]);
  h[2] = atomicCAS_system(h, h[0], h[1]);
}

extern "C" __global__ void wide(float4* v, float2* p, ulonglong2* w) {
  atomicAdd(v, v[1]);
  atomicAdd_block(v, v[1]);
  atomicAdd_system(v, v[1]);
  atomicAdd(p, p[1]);
  atomicAdd_block(p, p[1]);
  atomicAdd_system(p, p[1]);
#if __CUDA_ARCH__ >= 900
  w[2] = atomicCAS(w, w[0], w[1]);
  w[3] = atomicExch(w, w[1]);
#endif
}

extern "C" __global__ void shared(const int* in, int* out) {
  __shared__ int count;
  __shared__ float sum;
  if (threadIdx.x == 0) {
    count = 0;
    sum = 0;
  }
  __syncthreads();
  atomicAdd(&count, in[threadIdx.x]);
  atomicAdd(&sum, 1.0f);
  __syncthreads();
  out[0] = count + static_cast<int>(sum);
}
