/* The part of docs/c-api.md, as a program. */
#include <heddle/heddle.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
static void fail(const char* why) {
  puts(why);
  exit(1);
}

int main(void) {
  enum { blocks = 4, n = blocks * 256 };
  const char* source = "__global__ void saxpy(int n, float a, const float* x, float* y) {"
                       "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }";
  static float data[n], result[n];
  for (int i = 0; i < n; ++i) data[i] = (float)i;
SNIPPET
  for (int i = 0; i < n; ++i)
    if (result[i] != 2.0f * (float)i) fail("a wrong value");
  heddle_array_free(x);
  heddle_array_free(y);
  heddle_kernel_free(saxpy);
  heddle_module_free(module);
  heddle_runtime_free(runtime);
  return 0;
}
