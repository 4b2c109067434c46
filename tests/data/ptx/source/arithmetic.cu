// Integer and floating-point arithmetic of all widths.
extern "C" __global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void integers(int* out, const int* a, const unsigned* b, const long long* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = a[i];
  unsigned y = b[i];
  long long z = c[i];
  out[i * 8 + 0] = x / (int)(y | 1);
  out[i * 8 + 1] = x % 7;
  out[i * 8 + 2] = __clz(x) + __popc(y) + __brev(y) + __ffs(x);
  out[i * 8 + 3] = (int)(z >> 3) ^ (x << (y & 31)) ^ (int)(y >> 5);
  out[i * 8 + 4] = min(x, 5) + max((int)y, x) + abs(x);
  out[i * 8 + 5] = __mulhi(x, (int)y) + (int)__umulhi(y, 77u);
  out[i * 8 + 6] = (int)__byte_perm(x, y, 0x3210 ^ i) + (int)__funnelshift_l(y, x, 7);
  out[i * 8 + 7] = (int)(z / 10) + (int)(z % 13) + __sad(x, 3, y);
}

extern "C" __global__ void reals(float* f, double* d, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float x = f[i];
  double y = d[i];
  f[i] = sqrtf(x) + __fdividef(x, 3.0f) + rsqrtf(x) + sinf(x) * cosf(x) + expf(x) + logf(x + 1) + powf(x, 1.5f) +
         fmaf(x, x, 2.0f) + __fadd_rz(x, 0.1f) + __fmul_ru(x, 3.3f) + floorf(x) + truncf(x) + roundf(x) + tanhf(x);
  d[i] = sqrt(y) + 1.0 / y + fma(y, y, 0.25) + __dadd_rd(y, 1e-300) + exp(y) + log(y) + (double)(long long)y +
         fmin(y, 3.0) + copysign(1.0, y) + atan2(y, 2.0);
}
