#include "../../kernels/marrow.cu"
#include "../data.hpp"
#include "by_hand.hpp"

static unsigned host_bits(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

static float host_filter(float pixel, size_t place, float strength, float threshold) {
  unsigned seed = host_bits(unsigned(place));
  float sum = 0;
  for (int n = 0; n < 4; ++n) {
    seed = host_bits(seed + n);
    sum += float(seed >> 8) * (1.0f / 16777216.0f) - 0.5f;
  }
  const float noisy = std::min(std::max(pixel + strength * sum, 0.0f), 1.0f);
  return noisy > threshold ? 1.0f - noisy : noisy;
}

int main(int count, char** arguments) {
  const double share = count > 1 ? std::atof(arguments[1]) : 0.8;
  const size_t n = size_t(data::width) * data::height;
  const float strength = 0.1f, threshold = 0.5f;
  float *image, *result;
  CHECK(cudaMallocHost(&image, n * sizeof(float)));
  CHECK(cudaMallocHost(&result, n * sizeof(float)));
  data::fill(image, n);
  Split split(n, data::width, share, 4);
  std::vector<float*> from(split.parts.size()), to(split.parts.size());
  for (size_t i = 0; i < split.parts.size(); ++i) {
    CHECK(cudaSetDevice(split.parts[i].gpu));
    CHECK(cudaMalloc(&from[i], split.parts[i].count() * sizeof(float)));
    CHECK(cudaMalloc(&to[i], split.parts[i].count() * sizeof(float)));
  }
  for (size_t i = 0; i < split.parts.size(); ++i) {
    const Part& part = split.parts[i];
    const size_t bytes = part.count() * sizeof(float);
    const int size = int(part.count());
    const unsigned blocks = unsigned((part.count() + 511) / 512);
    CHECK(cudaSetDevice(part.gpu));
    CHECK(cudaMemcpyAsync(from[i], image + part.begin, bytes, cudaMemcpyHostToDevice, part.stream));
    gaussian_noise<<<blocks, 256, 0, part.stream>>>(size, (long long)part.begin, strength, from[i], to[i]);
    solarize<<<blocks, 256, 0, part.stream>>>(size, threshold, to[i]);
    mirror<<<blocks, 256, 0, part.stream>>>(size, data::width, to[i], from[i]);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result + part.begin, from[i], bytes, cudaMemcpyDeviceToHost, part.stream));
  }
  on_cpu(split.cpu_begin, n, data::width, [=](size_t begin, size_t end) {
    for (size_t line = begin; line < end; line += data::width)
      for (size_t x = 0; x < data::width; ++x) {
        const size_t place = line + data::width - 1 - x;
        result[line + x] = host_filter(image[place], place, strength, threshold);
      }
  });
  split.wait();
  data::print_sum(result, n);
  for (size_t i = 0; i < split.parts.size(); ++i) {
    CHECK(cudaFree(from[i]));
    CHECK(cudaFree(to[i]));
  }
  CHECK(cudaFreeHost(image));
  CHECK(cudaFreeHost(result));
}
