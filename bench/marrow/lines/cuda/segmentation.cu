#include "../../kernels/marrow.cu"
#include "../data.hpp"
#include "by_hand.hpp"

int main(int count, char** arguments) {
  const double share = count > 1 ? std::atof(arguments[1]) : 0.8;
  const size_t n = data::slice * data::slices;
  const unsigned low = 85, high = 170;
  unsigned char *grey, *classes;
  CHECK(cudaMallocHost(&grey, n));
  CHECK(cudaMallocHost(&classes, n));
  data::fill(grey, n);
  Split split(n, data::slice, share, 3);
  std::vector<unsigned char*> from(split.parts.size()), to(split.parts.size());
  for (size_t i = 0; i < split.parts.size(); ++i) {
    CHECK(cudaSetDevice(split.parts[i].gpu));
    CHECK(cudaMalloc(&from[i], split.parts[i].count()));
    CHECK(cudaMalloc(&to[i], split.parts[i].count()));
  }
  for (size_t i = 0; i < split.parts.size(); ++i) {
    const Part& part = split.parts[i];
    CHECK(cudaSetDevice(part.gpu));
    CHECK(cudaMemcpyAsync(from[i], grey + part.begin, part.count(), cudaMemcpyHostToDevice, part.stream));
    const unsigned blocks = unsigned((part.count() + 255) / 256);
    segment<<<blocks, 256, 0, part.stream>>>(int(part.count()), low, high, from[i], to[i]);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(classes + part.begin, to[i], part.count(), cudaMemcpyDeviceToHost, part.stream));
  }
  on_cpu(split.cpu_begin, n, data::slice, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) classes[i] = grey[i] < low ? 0 : grey[i] < high ? 128 : 255;
  });
  split.wait();
  data::print_sum(classes, n);
  for (size_t i = 0; i < split.parts.size(); ++i) {
    CHECK(cudaFree(from[i]));
    CHECK(cudaFree(to[i]));
  }
  CHECK(cudaFreeHost(grey));
  CHECK(cudaFreeHost(classes));
}
