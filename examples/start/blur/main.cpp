#include <cstdio>
#include <heddle/heddle.hpp>

int main() try {
  const int n = 1 << 20;
  heddle::Runtime runtime;
  heddle::Module module = runtime.compile_file("blur.cu");  // relative to the working folder

  auto in = runtime.array<float>(n), out = runtime.array<float>(n);  // zeros
  auto values = in.write();
  for (int i = 0; i < n; ++i) values[i] = i % 7;

  heddle::Launch launch =
      runtime.launch(module.kernel("blur"), {.grid = {(n + 255) / 256}, .block = {256}, .timed = true}, in, out, n);
  std::printf("out[1000] = %f, took %f ms\n", out.read()[1000], launch.seconds() * 1e3);
} catch (const heddle::Error& error) {
  std::printf("%s: %s\n", heddle::name(error.code()), error.what());
  return 1;
}
