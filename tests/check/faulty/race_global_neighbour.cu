// launch: --check=race --grid 4 --block 32 --arg zeros:f32:128
// expect: race
__global__ void smooth(float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0) x[i] = x[i - 1] + 1;  // here before
}
