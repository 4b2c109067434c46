// run: --check=init
__global__ void first(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}
int main() {
  float* out = nullptr;
  cudaMalloc(&out, 256);
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &channels, 32, 2);
  const float texels[64] = {};
  cudaMemcpy2DToArray(array, 0, 0, texels, 128, 128, 2, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc desc = {};
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &resource, &desc, nullptr);
  first<<<1, 32>>>(t, out);
  cudaDeviceSynchronize();
}
