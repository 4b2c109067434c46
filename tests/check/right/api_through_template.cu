// run: --check=api
__global__ void nothing(int*) {}
int main() {
  cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 14);
  nothing<<<1, 1>>>(nullptr);
  cudaDeviceSynchronize();
}
