// a = b + s c, the last of the STREAM loops.
extern "C" __global__ void triad(int n, float s, const float* b, const float* c, float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] + s * c[i];
}
