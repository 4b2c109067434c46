// launch: --check=race --block 128 --arg zeros:f32:128
// expect: race (read after write)
__global__ void smooth(float* x) {
  __shared__ float s[128];
  const int i = threadIdx.x;
  s[i] = x[i] + i;  // before
  float sum = s[i];
  if (i < 127) sum += s[i + 1];  // here
  x[i] = sum;
}
