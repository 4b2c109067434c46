// A program with a mistake that `heddle run --check wrong.cu` names: the last thread reads past the array's end.
__global__ void differences(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + 1] - in[i];
}

int main() {
  const int n = 1024;
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  differences<<<n / 256, 256>>>(in, out, n);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
