"""The part of docs/tenants.md in Python, as a program."""
import heddle
import numpy as np

runtime = heddle.Runtime("cpu", policy="lithos")
kernel = runtime.compile("""
extern "C" __global__ void twice(int n, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}""").twice
n = 64 * 256
x, y = runtime.array(np.ones(n, np.float32)), runtime.array(np.zeros(n, np.float32))
SNIPPET
assert y[n - 1] == 2
