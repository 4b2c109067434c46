// run: --check=api
// expect: api: cudaFuncSetAttribute
__global__ void nothing(int*) {}
int main() {
  cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30);  // here
  nothing<<<1, 1>>>(nullptr);
  cudaDeviceSynchronize();
}
