// A runtime with a CPU and simulated GPUs, and kernels for trees.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "heddle/skeleton.hpp"

namespace heddle::tests {

inline constexpr const char* tree_kernels = R"(
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
extern "C" __global__ void scale(int n, float a, const float* from, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = a * from[i];
}
// Of its part alone: two elements for each thread, and the place of the part in the whole.
extern "C" __global__ void number(int size, long long offset, int* to) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 2; ++k) if (i + k < size) to[i + k] = (int)(offset + i + k);
}
extern "C" __global__ void mirror(int lines, int width, const int* from, int* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < lines * width) to[i] = from[i / width * width + width - 1 - i % width];
}
// All to all: each element becomes the mean of all.
extern "C" __global__ void mean(int size, int total, const float* all, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = 0;
  for (int k = 0; k < total; ++k) sum += all[k];
  to[i] = sum / total + 1;
}
extern "C" __global__ void histogram(int n, const int* values, unsigned* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(bins + (values[i] & 15), 1u);
}
extern "C" __global__ void scatter(const int* to, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[to[i]] = 1;
}
extern "C" __global__ void product(int n, const float* values, float* result) {
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  float p = result[0];
  for (int i = 0; i < n; ++i) p *= values[i];
  result[0] = p;
}
)";

class TreeTest : public testing::Test {
 protected:
  explicit TreeTest(const std::string& devices = "cpu,sim:fermi-gtx480") : runtime({.devices = devices}) {
    folder.create("tree-test");
  }
  Kernel kernel(const char* name) const { return module.kernel(name); }
  skeleton::ExecutorOptions options(std::optional<double> gpu_share = 0.5) const {
    std::vector<std::pair<std::string, double>> speeds;
    for (const DeviceInfo& device : runtime.devices()) speeds.emplace_back(device.id, 1);
    return {.knowledge = (folder.path() / "k.sqlite").string(), .gpu_share = gpu_share, .speeds = speeds};
  }
  skeleton::Tree saxpy() const {
    using namespace skeleton;  // NOLINT: names of arguments
    return map(skeleton::kernel(kernel("saxpy"), {}, total, 2.0f, arg(0), arg(1)));
  }

  base::TemporaryFolder folder;
  Runtime runtime;
  Module module = runtime.compile(tree_kernels, "trees.cu");
};

}  // namespace heddle::tests
