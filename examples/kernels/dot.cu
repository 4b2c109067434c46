// Dot product with shuffles, in double precision with Kahan's correction.
extern "C" __global__ void dot(int n, const float* x, const float* y, float* result) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x % warpSize == 0) atomicAdd(result, sum);
}

extern "C" __global__ void dot_kahan(int n, const double* x, const double* y, double* result) {
  double sum = 0, lost = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double term = __dadd_rn(__dmul_rn(x[i], y[i]), -lost);
    double next = __dadd_rn(sum, term);
    lost = __dsub_rn(__dsub_rn(next, sum), term);
    sum = next;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(result, sum);
}
