// launch: --check=init --block 64 --arg zeros:f32:64
// expect: uninitialised read
__global__ void stencil(float* x) {
  __shared__ float s[66];
  const int i = threadIdx.x;
  s[i + 1] = x[i];
  if (i == 0) s[0] = 0;
  __syncthreads();
  x[i] = s[i] + s[i + 1] + s[i + 2];  // here
}
