// run: --check
// expect: which was freed
__global__ void first(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);  // here
}
int main() {
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 256);
  cudaMemset(in, 0, 256);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {in, cudaCreateChannelDesc<float>(), 256};
  cudaTextureDesc desc = {};
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &resource, &desc, nullptr);
  cudaFree(in);
  first<<<1, 32>>>(t, out);
  cudaDeviceSynchronize();
}
