// Objects with virtual functions, made by one kernel and used by another that names none of their classes.
#include <cuda_runtime.h>

#include <cstdio>

#include "check.h"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area(int scale) const = 0;
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area(int scale) const override { return scale * side * side; }
};
struct Strip : Shape {
  int length;
  __device__ explicit Strip(int l) : length(l) {}
  __device__ int area(int scale) const override { return scale * length; }
};

__global__ void make(Shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 3 == 0)
    shapes[i] = new Square(i);
  else
    shapes[i] = new Strip(i);
}
__global__ void measure(Shape* const* shapes, int* areas, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) areas[i] = shapes[i]->area(2);
}
__global__ void end(Shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) delete shapes[i];
}

int main() {
  constexpr int n = 100;
  Shape** shapes;
  int *areas, found[n];
  CHECK(cudaMalloc(&shapes, n * sizeof *shapes));
  CHECK(cudaMalloc(&areas, sizeof found));
  make<<<4, 32>>>(shapes, n);
  measure<<<4, 32>>>(shapes, areas, n);
  CHECK(cudaMemcpy(found, areas, sizeof found, cudaMemcpyDeviceToHost));
  end<<<4, 32>>>(shapes, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(found[i] == 2 * (i % 3 == 0 ? i * i : i));
  std::puts("passed");
}
