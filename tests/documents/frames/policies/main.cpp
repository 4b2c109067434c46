// The part of docs/policies.md in C++, as a program.
#include <cstdio>
#include <heddle/heddle.hpp>

// clang-format off
int main() try {
SNIPPET
  auto module = runtime.compile_file("saxpy.cu");
  const int n = 1 << 20;
  auto x = runtime.array<float>(n), y = runtime.array<float>(n);
  for (float& value : x.write()) value = 1;
  runtime.launch(module.kernel("saxpy"), {.grid = {n / 256}, .block = {256}}, n, 2.0f, x, y);
  return y[n - 1] == 2 ? 0 : 1;
} catch (const heddle::Error& error) {
  std::puts(error.what());
  return 1;
}
