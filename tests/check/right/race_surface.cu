// run: --check=race
__global__ void count(cudaSurfaceObject_t s) {
  if (threadIdx.x == 0) surf2Dwrite(blockIdx.x, s, 4 * blockIdx.x, 1);
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
