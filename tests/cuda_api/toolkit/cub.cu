// CUB: reductions and scans of blocks, and reductions, scans and radix sort of the device.
#include <cub/cub.cuh>
#include <cstdio>
#include <vector>
template <int B> __global__ void blocks(const float* in, float* out, int n) {
  typedef cub::BlockReduce<float, B> R;
  typedef cub::BlockScan<int, B> S;
  __shared__ union { typename R::TempStorage r; typename S::TempStorage s; } t;
  int i = blockIdx.x * B + threadIdx.x;
  float v = i < n ? in[i] : 0;
  float sum = R(t.r).Sum(v);
  __syncthreads();
  int rank, total;
  S(t.s).ExclusiveSum(v > 5 ? 1 : 0, rank, total);
  if (threadIdx.x == 0) { out[2 * blockIdx.x] = sum; out[2 * blockIdx.x + 1] = total; }
}
int main() {
  int n = 5000, bad = 0;
  std::vector<float> h(n);
  for (int i = 0; i < n; ++i) h[i] = (i * 7) % 11;
  float *in, *out; cudaMalloc(&in, n * 4); cudaMalloc(&out, n * 4);
  cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
  blocks<128><<<(n + 127) / 128, 128>>>(in, out, n);
  std::vector<float> o(n);
  cudaMemcpy(o.data(), out, n * 4, cudaMemcpyDeviceToHost);
  for (int b = 0; b < n / 128; ++b) { float s = 0, c = 0; for (int i = 0; i < 128; ++i) { s += h[b * 128 + i]; c += h[b * 128 + i] > 5; } bad += s != o[2 * b]; bad += c != o[2 * b + 1]; }
  void* tmp = nullptr; size_t bytes = 0;
  cub::DeviceReduce::Sum(tmp, bytes, in, out, n);
  cudaMalloc(&tmp, bytes);
  cub::DeviceReduce::Sum(tmp, bytes, in, out, n);
  float s, want = 0; cudaMemcpy(&s, out, 4, cudaMemcpyDeviceToHost);
  for (float x : h) want += x;
  bad += s != want;
  bytes = 0; cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, n);
  cudaMalloc(&tmp, bytes);
  cub::DeviceScan::ExclusiveSum(tmp, bytes, in, out, n);
  cudaMemcpy(o.data(), out, n * 4, cudaMemcpyDeviceToHost);
  want = 0; for (int i = 0; i < n; ++i) { bad += o[i] != want; want += h[i]; }
  cub::DoubleBuffer<float> keys(in, out);
  bytes = 0; cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, n);
  cudaMalloc(&tmp, bytes);
  cub::DeviceRadixSort::SortKeys(tmp, bytes, keys, n);
  cudaMemcpy(o.data(), keys.Current(), n * 4, cudaMemcpyDeviceToHost);
  for (int i = 1; i < n; ++i) bad += o[i] < o[i - 1];
  printf(bad ? "%d are wrong\n" : "passed\n", bad);
  return bad != 0;
}
