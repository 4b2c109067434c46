// Objects of the device that another file's kernel calls, and a static variable that the host sets.
#include "parts.h"

static __device__ float own = 3;
static __device__ __noinline__ float change(float x) { return x + own; }

struct Square : Shape {
  __device__ float area() const override { return 4; }
};
struct Circle : Shape {
  __device__ float area() const override { return 3; }
};
__device__ const Shape* shape(int kind) {
  if (kind) return new Square;
  return new Circle;
}

static __global__ void work(float* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = change(data[i]);
}

__managed__ int managed_numbers[3] = {1, 2, 3};
static __managed__ int managed_own = 200;
__global__ void add_managed() { managed_numbers[2] = *managed_place + ++managed_own; }
cudaError_t count_managed_of_shapes() {
  add_managed<<<1, 1>>>();
  return cudaGetLastError();
}

cudaError_t launch_shapes(float* data, int count) {
  const float value = 5;
  if (const cudaError_t error = cudaMemcpyToSymbol(own, &value, sizeof value)) return error;
  work<<<(count + 127) / 128, 128>>>(data, count);
  return cudaGetLastError();
}
