#include "../../kernels/marrow.cu"
#include "../data.hpp"
#include "by_hand.hpp"

int main(int count, char** arguments) {
  const double share = count > 1 ? std::atof(arguments[1]) : 0.8;
  const size_t n = data::saxpy;
  const float a = 2.0f;
  float *x, *y;
  CHECK(cudaMallocHost(&x, n * sizeof(float)));
  CHECK(cudaMallocHost(&y, n * sizeof(float)));
  data::fill(x, n);
  data::fill(y, n);
  Split split(n, 256, share, 4);
  std::vector<float*> xs(split.parts.size()), ys(split.parts.size());
  for (size_t i = 0; i < split.parts.size(); ++i) {
    CHECK(cudaSetDevice(split.parts[i].gpu));
    CHECK(cudaMalloc(&xs[i], split.parts[i].count() * sizeof(float)));
    CHECK(cudaMalloc(&ys[i], split.parts[i].count() * sizeof(float)));
  }
  for (size_t i = 0; i < split.parts.size(); ++i) {
    const Part& part = split.parts[i];
    const size_t bytes = part.count() * sizeof(float);
    CHECK(cudaSetDevice(part.gpu));
    CHECK(cudaMemcpyAsync(xs[i], x + part.begin, bytes, cudaMemcpyHostToDevice, part.stream));
    CHECK(cudaMemcpyAsync(ys[i], y + part.begin, bytes, cudaMemcpyHostToDevice, part.stream));
    saxpy<<<unsigned((part.count() + 255) / 256), 256, 0, part.stream>>>(int(part.count()), a, xs[i], ys[i]);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(y + part.begin, ys[i], bytes, cudaMemcpyDeviceToHost, part.stream));
  }
  on_cpu(split.cpu_begin, n, 256, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
  });
  split.wait();
  data::print_sum(y, n);
  for (size_t i = 0; i < split.parts.size(); ++i) {
    CHECK(cudaFree(xs[i]));
    CHECK(cudaFree(ys[i]));
  }
  CHECK(cudaFreeHost(x));
  CHECK(cudaFreeHost(y));
}
