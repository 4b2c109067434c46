// run: --check=init
// expect: uninitialised read
__global__ void accumulate(float* sum, int turns) {
  for (int t = 0; t < turns; ++t) sum[threadIdx.x] += t;  // here
}
int main() {
  float* sum;
  cudaMalloc(&sum, 32 * sizeof(float));
  accumulate<<<1, 32>>>(sum, 4);
  cudaDeviceSynchronize();
}
