// Device code of several files: functions, variables and virtual functions of other files, and names that clash.
#include "../check.h"
#include "parts.h"

__constant__ float factors[4];
__device__ int hits;
__device__ float twice(float x) { return 2 * x; }

static __device__ float own = 9;
static __global__ void work(float* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Shape* const made = shape(i & 1);
  data[i] = mixed(data[i]) + table[i & 3] + made->area() + own;
  delete made;
  atomicAdd(&hits, 1);
}

// A static variable and one without a name's linkage that a kernel uses before the host does.
static __device__ int early = 5;
namespace {
__constant__ int nameless[2] = {3, 4};
}
__global__ void count_early() { early += nameless[1]; }

// Where another file has its variable; and one that another file has by the same name.
__managed__ int* managed_place = &managed_numbers[1];
static __managed__ int managed_own = 100;
__global__ void count_managed() {
  ++*managed_place;
  ++managed_own;
}

static float expected(int i) {
  const float tables[4] = {10, 20, 30, 40};
  const float first = 2.0f * i + 2 + tables[i & 3] + (i & 1 ? 4 : 3) + 9;
  return 2 * first + 1 + 5 + 7;
}

static void use_managed() {
  EXPECT(managed_place == managed_numbers + 1 && managed_numbers[1] == 2 && managed_own == 100);
  managed_numbers[1] = 50;
  count_managed<<<1, 1>>>();
  CHECK(count_managed_of_shapes());
  CHECK(cudaDeviceSynchronize());
  EXPECT(managed_numbers[1] == 51 && managed_numbers[2] == 51 + 201 && managed_own == 101);
}

int main() {
  use_managed();
  constexpr int count = 1000;
  float* data = nullptr;
  CHECK(cudaMallocManaged(&data, count * sizeof(float)));
  for (int i = 0; i < count; ++i) data[i] = static_cast<float>(i);
  const float values[4] = {1, 2, 3, 4}, tables[4] = {10, 20, 30, 40};
  CHECK(cudaMemcpyToSymbol(factors, values, sizeof values));
  CHECK(cudaMemcpyToSymbol(table, tables, sizeof tables));
  work<<<8, 128>>>(data, count);
  CHECK(cudaGetLastError());
  CHECK(launch_archived(data, count));
  CHECK(launch_shapes(data, count));
  CHECK(launch_plain(data, count));
  CHECK(cudaDeviceSynchronize());
  int seen = 0;
  CHECK(cudaMemcpyFromSymbol(&seen, hits, sizeof seen));
  EXPECT(seen == count);
  for (int i = 0; i < count; ++i) EXPECT(data[i] == expected(i));
  const int numbers[2] = {0, 10};
  CHECK(cudaMemcpyToSymbol(nameless, numbers, sizeof numbers));
  count_early<<<1, 1>>>();
  CHECK(cudaMemcpyFromSymbol(&seen, early, sizeof seen));
  EXPECT(seen == 15);
  CHECK(cudaFree(data));
  std::puts("passed");
}
