// launch: --check=memory --block 128 --arg zeros:f32:128
// expect: of shared memory, which has 520 bytes
__global__ void halo(float* out) {
  __shared__ float s[130];
  s[threadIdx.x + 1] = out[threadIdx.x];
  if (threadIdx.x == 127) s[threadIdx.x + 3] = 0;  // here
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 2];
}
