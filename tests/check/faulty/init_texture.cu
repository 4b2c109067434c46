// run: --check=init
// expect: uninitialised read
__global__ void first(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);  // here
}
int main() {
  float* out = nullptr;
  cudaMalloc(&out, 256);
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &channels, 32, 2);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc desc = {};
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &resource, &desc, nullptr);
  first<<<1, 32>>>(t, out);
  cudaDeviceSynchronize();
}
