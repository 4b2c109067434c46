// Language features in kernels: templates, lambdas, virtual functions, recursion, printf, assert, device new and delete,
// dynamic indexing, and function pointers.
#include <cassert>
#include <cstdio>

template <typename T, typename F>
__device__ T folded(const T* p, int n, T start, F f) {
  for (int i = 0; i < n; ++i) start = f(start, p[i]);
  return start;
}
extern "C" __global__ void lambda_fold(int n, const float* in, float* out) {
  float factor = 2.0f;
  out[0] = folded(in, n, 0.0f, [=](float a, float b) { return a + factor * b; });
  out[1] = folded(in, n, in[0], [](float a, float b) { return fmaxf(a, b); });
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 16); }

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.14159265f * radius * radius; }
};
extern "C" __global__ void virtual_calls(int n, const float* sizes, float* areas) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Shape* shape = i % 2 ? static_cast<Shape*>(new Square(sizes[i])) : new Circle(sizes[i]);
  areas[i] = shape->area();
  delete shape;
}

typedef float (*Operation)(float, float);
__device__ float sum(float a, float b) { return a + b; }
__device__ float product(float a, float b) { return a * b; }
__device__ Operation operations[2] = {sum, product};
extern "C" __global__ void function_pointers(int n, const float* a, const float* b, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = operations[i % 2](a[i], b[i]);
}

extern "C" __global__ void printing(int n) {
  assert(n > 0);
  if (threadIdx.x < n) printf("block %d thread %d half %f text %s\n", blockIdx.x, threadIdx.x, threadIdx.x / 2.0, "end");
}
