// The example of the README, checked.
#include <cstdio>
#include <heddle/heddle.hpp>
#include <span>

constexpr const char* source = R"(
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";

int main() {
  try {
    const int n = 1000;
    const unsigned blocks = (n + 255) / 256;
    heddle::Runtime runtime({.devices = "cpu"});
    auto module = runtime.compile(source, "saxpy.cu");
    auto x = runtime.array<float>(n), y = runtime.array<float>(n);
    for (float& value : x.write()) value = 3;
    for (float& value : y.write()) value = 1;
    runtime.launch(module.kernel("saxpy"), {.grid = {blocks}, .block = {256}}, n, 2.0f, x, y);
    std::span<const float> result = y.read();
    for (const float value : result) {
      if (value != 7) return std::puts("wrong result"), 1;
    }
    // An error thrown inside the library is caught by its type here.
    try {
      module.kernel("absent");
      return std::puts("no error for an absent kernel"), 1;
    } catch (const heddle::Error& error) {
      if (error.code() != heddle::ErrorCode::not_found) return std::puts(error.what()), 1;
    }
    std::puts("ok");
    return 0;
  } catch (const std::exception& error) {
    std::puts(error.what());
    return 1;
  }
}
