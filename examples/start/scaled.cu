// The kernel of docs/api.md: a variable of the module, and a number that is defined where it is compiled.
__constant__ float scale = 1;

__global__ void scaled(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * scale + N;
}
