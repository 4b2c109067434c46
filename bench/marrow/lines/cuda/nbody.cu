#include <cmath>
#include <utility>

#include "../../kernels/marrow.cu"
#include "../data.hpp"
#include "by_hand.hpp"

static void host_step(const float4* all, size_t bodies, size_t i, float step, float4* velocity, float4* next) {
  const float4 me = all[i];
  float x = 0, y = 0, z = 0;
  for (size_t k = 0; k < bodies; ++k) {
    const float dx = all[k].x - me.x, dy = all[k].y - me.y, dz = all[k].z - me.z;
    const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-4f);
    const float pull = all[k].w * inverse * inverse * inverse;
    x += pull * dx;
    y += pull * dy;
    z += pull * dz;
  }
  float4& v = velocity[i];
  v = {v.x + step * x, v.y + step * y, v.z + step * z, v.w};
  next[i] = {me.x + step * v.x, me.y + step * v.y, me.z + step * v.z, me.w};
}

int main(int count, char** arguments) {
  const double share = count > 1 ? std::atof(arguments[1]) : 0.8;
  const size_t n = data::bodies;
  const float step = 1e-6f;
  float4 *bodies, *velocity, *next;
  CHECK(cudaMallocHost(&bodies, n * sizeof(float4)));
  CHECK(cudaMallocHost(&velocity, n * sizeof(float4)));
  CHECK(cudaMallocHost(&next, n * sizeof(float4)));
  data::fill(bodies, n);
  std::fill(velocity, velocity + n, float4{0, 0, 0, 0});
  Split split(n, 256, share, 2);
  std::vector<float4*> all(split.parts.size()), speeds(split.parts.size()), moved(split.parts.size());
  for (size_t i = 0; i < split.parts.size(); ++i) {
    const size_t bytes = split.parts[i].count() * sizeof(float4);
    CHECK(cudaSetDevice(split.parts[i].gpu));
    CHECK(cudaMalloc(&all[i], n * sizeof(float4)));
    CHECK(cudaMalloc(&speeds[i], bytes));
    CHECK(cudaMalloc(&moved[i], bytes));
    CHECK(cudaMemcpyAsync(speeds[i], velocity + split.parts[i].begin, bytes, cudaMemcpyHostToDevice,
                          split.parts[i].stream));
  }
  for (size_t iteration = 0; iteration < data::steps; ++iteration) {
    for (size_t i = 0; i < split.parts.size(); ++i) {
      const Part& part = split.parts[i];
      const unsigned blocks = unsigned((part.count() + 255) / 256);
      CHECK(cudaSetDevice(part.gpu));
      CHECK(cudaMemcpyAsync(all[i], bodies, n * sizeof(float4), cudaMemcpyHostToDevice, part.stream));
      nbody<<<blocks, 256, 0, part.stream>>>(int(part.count()), (long long)part.begin, int(n), step, all[i], speeds[i],
                                             moved[i]);
      CHECK(cudaGetLastError());
      CHECK(cudaMemcpyAsync(next + part.begin, moved[i], part.count() * sizeof(float4), cudaMemcpyDeviceToHost,
                            part.stream));
    }
    on_cpu(split.cpu_begin, n, 1, [=](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) host_step(bodies, n, i, step, velocity, next);
    });
    split.wait();
    std::swap(bodies, next);
  }
  data::print_sum(bodies, n);
  for (size_t i = 0; i < split.parts.size(); ++i) {
    CHECK(cudaFree(all[i]));
    CHECK(cudaFree(speeds[i]));
    CHECK(cudaFree(moved[i]));
  }
  CHECK(cudaFreeHost(bodies));
  CHECK(cudaFreeHost(velocity));
  CHECK(cudaFreeHost(next));
}
