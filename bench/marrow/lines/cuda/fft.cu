#include <cmath>
#include <utility>

#include "../../kernels/marrow.cu"
#include "../data.hpp"
#include "by_hand.hpp"

// One transform of 512 points on the CPU: Stockham's form of radix 2.
static void host_fft(float direction, float scale, float2* signal) {
  float2 a[512], b[512];
  float2 *from = a, *to = b;
  std::copy(signal, signal + 512, from);
  for (int done = 1; done < 512; done *= 2) {
    for (int t = 0; t < 256; ++t) {
      const int inner = t & (done - 1), place = 2 * t - inner;
      const float angle = direction * 3.14159265f * float(inner) / float(done);
      const float cosine = std::cos(angle), sine = std::sin(angle);
      const float2 u = from[t], v = from[t + 256];
      const float2 w = {v.x * cosine - v.y * sine, v.x * sine + v.y * cosine};
      to[place] = {u.x + w.x, u.y + w.y};
      to[place + done] = {u.x - w.x, u.y - w.y};
    }
    std::swap(from, to);
  }
  for (int i = 0; i < 512; ++i) signal[i] = {scale * from[i].x, scale * from[i].y};
}

int main(int count, char** arguments) {
  const double share = count > 1 ? std::atof(arguments[1]) : 0.8;
  const size_t n = data::transforms * 512, unit = data::together * 512;
  float2* signal;
  CHECK(cudaMallocHost(&signal, n * sizeof(float2)));
  data::fill(signal, n);
  Split split(n, unit, share, 4);
  std::vector<float2*> buffers(split.parts.size());
  for (size_t i = 0; i < split.parts.size(); ++i) {
    CHECK(cudaSetDevice(split.parts[i].gpu));
    CHECK(cudaMalloc(&buffers[i], split.parts[i].count() * sizeof(float2)));
  }
  for (size_t i = 0; i < split.parts.size(); ++i) {
    const Part& part = split.parts[i];
    const size_t bytes = part.count() * sizeof(float2);
    const unsigned blocks = unsigned((part.count() / 512 + 7) / 8);
    CHECK(cudaSetDevice(part.gpu));
    CHECK(cudaMemcpyAsync(buffers[i], signal + part.begin, bytes, cudaMemcpyHostToDevice, part.stream));
    fft512<<<blocks, 32, 0, part.stream>>>(int(part.count()), -1.0f, 1.0f, buffers[i]);
    fft512<<<blocks, 32, 0, part.stream>>>(int(part.count()), 1.0f, 1.0f / 512, buffers[i]);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(signal + part.begin, buffers[i], bytes, cudaMemcpyDeviceToHost, part.stream));
  }
  on_cpu(split.cpu_begin, n, unit, [=](size_t begin, size_t end) {
    for (size_t first = begin; first < end; first += 512) {
      host_fft(-1.0f, 1.0f, signal + first);
      host_fft(1.0f, 1.0f / 512, signal + first);
    }
  });
  split.wait();
  data::print_sum(signal, n);
  for (float2* buffer : buffers) CHECK(cudaFree(buffer));
  CHECK(cudaFreeHost(signal));
}
