// run: --check=race
// expect: race
__global__ void count(cudaSurfaceObject_t s) {
  if (threadIdx.x == 0) surf2Dwrite(blockIdx.x, s, 8, 1);  // here before
}
int main() {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<unsigned int>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &channels, 32, 2, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t s = 0;
  cudaCreateSurfaceObject(&s, &resource);
  count<<<4, 32>>>(s);
  cudaDeviceSynchronize();
}
