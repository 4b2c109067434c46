"""What the tests share: a runtime of the CPU device, and a module of small kernels."""

import pytest

import heddle

SOURCE = r"""
struct Line { double a; float b; int c[4]; };
struct Small { int a; float b; };

__device__ int counter = 3;
__constant__ float table[4] = {1, 2, 3, 4};

extern "C" __global__ void square(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i];
}
extern "C" __global__ void reduce(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(z, x[i] + y[i]);
}
__global__ void add(int* x, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}
__global__ void kinds(double* to, float f, double d, int i, unsigned u, long long big, unsigned long long huge, short s,
                      unsigned char c, bool b) {
  to[0] = f; to[1] = d; to[2] = i; to[3] = u; to[4] = big; to[5] = huge; to[6] = s; to[7] = c; to[8] = b;
}
extern "C" __global__ void unsure(unsigned long long* to, unsigned u, unsigned short s) { to[0] = u; to[1] = s; }
__global__ void structures(double* to, Line line, Small small) {
  to[0] = line.a; to[1] = line.b; to[2] = line.c[3]; to[3] = small.a; to[4] = small.b;
}
__global__ void is_null(int* to, const float* p) { *to = p == nullptr ? 1 : 2; }
__global__ void shape(unsigned* to) {
  extern __shared__ unsigned memory[];
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
    memory[0] = blockDim.x; memory[1] = blockDim.y; memory[2] = blockDim.z;
    unsigned at = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    to[at] = memory[0] * 10000 + memory[1] * 100 + memory[2];
  }
}
__global__ void set_counter(int* to) { *to = counter + (int)table[3]; }
__global__ void wild(int* p, long long at) { p[at] = 1; }
__global__ void stop() { __trap(); }
__global__ void spin(float* x, long long rounds) {
  float v = x[0];
  for (long long i = 0; i < rounds; ++i) v = v * 0.999f + 0.5f;
  x[0] = v;
}
namespace img { template <typename T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; } }
template __global__ void img::scale<float>(float*, float);
template __global__ void img::scale<double>(double*, double);
"""


@pytest.fixture(scope="session")
def rt():
    return heddle.Runtime("cpu")


@pytest.fixture(scope="session")
def k(rt):
    return rt.compile(SOURCE, name="tests.cu")
