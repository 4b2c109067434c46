// run: --check=init
__global__ void accumulate(float* sum, int turns) {
  float all = 0;
  for (int t = 0; t < turns; ++t) all += t;
  sum[threadIdx.x] = all;
}
int main() {
  float* sum;
  cudaMalloc(&sum, 32 * sizeof(float));
  accumulate<<<1, 32>>>(sum, 4);
  cudaDeviceSynchronize();
}
