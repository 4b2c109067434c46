// The parts of docs/scheduling.md, as a program.
#include <cstdio>
#include <heddle/heddle.hpp>
#include <vector>

// clang-format off
namespace {

using cudaStream_t = void*;

void library_sum(cudaStream_t, float* sum, const float* x, int n) {
  *sum = 0;
  for (int i = 0; i < n; ++i) *sum += x[i];
}
float written = 0;
void write_file(const float* data, int) { written = data[0]; }

}  // namespace

int main(int count, char**) try {
  const int n = 1 << 16;
  const unsigned blocks = n / 256;
  {
SNIPPET
    if (sum != 0) return std::puts("a wrong sum"), 1;
  }
  heddle::Runtime runtime({.devices = "cpu"});
  auto module = runtime.compile_file("saxpy.cu");
  {
    auto kernel = runtime.compile("__global__ void add(int n, const float* x, float* y, float* z) {"
                                  "  int i = threadIdx.x; if (i < n) { y[i] = x[i]; z[i] += x[i]; } }", "add.cu").kernel("add");
    const int n = 100;
    const heddle::LaunchOptions shape{.grid = {1}, .block = {128}};
    auto x = runtime.array(std::vector<float>(100, 3.0f)), y = runtime.array<float>(100), z = runtime.array<float>(200);
SNIPPET
    runtime.launch(saxpy, shape, n, 2.0f, x, z);
    runtime.launch(same, shape, n, 2.0f, x, z);
    if (y[99] != 3 || z[99] != 15) return std::puts("wrong values"), 1;
  }
  auto x = runtime.array(std::vector<float>(n, 1.0f)), total = runtime.array<float>(1);
SNIPPET
  runtime.synchronize();
  if (written != n) return std::puts("a wrong total"), 1;
  if (count > 1) {  // on two GPUs
SNIPPET
    runtime.synchronize();
  }
  return 0;
} catch (const heddle::Error& error) {
  std::puts(error.what());
  return 1;
}
