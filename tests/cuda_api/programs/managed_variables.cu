// __managed__ variables: the host and kernels use the same bytes, from the first line of main() on.
#include <cuda_runtime.h>

#include "check.h"

struct Node {
  int value;
  Node* next;
};

__managed__ int total = 5;
__device__ __managed__ int table[3] = {1, 2, 3};
static __managed__ double hidden = 2.5;
namespace {
__managed__ int nameless = 15;
}
__managed__ Node list;
__managed__ Node* first;
__managed__ int number = 9;
__managed__ float field[300][400];
__managed__ int only_of_the_host = 7;
__device__ int own[4] = {0, 0, 50};

__global__ void change() {
  total += table[1];
  hidden += 1;
  table[0] = number + nameless;
  for (Node* node = first; node; node = node->next) node->value += 100;
  field[299][399] += 1.5f;
  ++own[2];
}

__global__ void add(int* p, int n) { *p += n; }

static void use_before_any_launch() {
  EXPECT(total == 5 && table[0] == 1 && table[1] == 2 && table[2] == 3);
  EXPECT(hidden == 2.5 && nameless == 15 && list.value == 0 && !first);
  EXPECT(number == 9 && field[299][399] == 0 && only_of_the_host == 7);
  total = 10;
  table[1] = 20;
  first = &list;
  list.value = 1;
  field[299][399] = 4;
  ++only_of_the_host;
}

static void share() {
  change<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(total == 30 && hidden == 3.5 && table[0] == 24 && list.value == 101 && field[299][399] == 5.5f);
  nameless = 1;
  Node second = {7, nullptr}, *more;
  CHECK(cudaMallocManaged(&more, sizeof second));
  *more = second;
  list.next = more;
  change<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(total == 50 && table[0] == 10 && list.value == 201 && more->value == 107);
  // Their addresses are the host's.
  add<<<1, 1>>>(&total, 5);
  add<<<1, 1>>>(&table[2], 4);
  add<<<1, 1>>>(&only_of_the_host, 2);
  CHECK(cudaDeviceSynchronize());
  EXPECT(total == 55 && table[2] == 7 && only_of_the_host == 10);
  CHECK(cudaFree(more));
  first = nullptr;
}

static void copy_and_ask() {
  int value = 70, values[3];
  CHECK(cudaMemcpyToSymbol(total, &value, sizeof value));
  EXPECT(total == 70);
  CHECK(cudaMemcpyFromSymbol(values, table, sizeof values));
  EXPECT(values[0] == table[0] && values[1] == 20 && values[2] == 7);
  value = 80;
  CHECK(cudaMemcpy(&table[1], &value, sizeof value, cudaMemcpyDefault));
  EXPECT(table[1] == 80);
  CHECK(cudaMemset(table, 0, sizeof table));
  CHECK(cudaDeviceSynchronize());
  EXPECT(table[0] == 0 && table[2] == 0);
  void* address;
  size_t size;
  CHECK(cudaGetSymbolAddress(&address, table));
  EXPECT(address == table);
  CHECK(cudaGetSymbolSize(&size, field));
  EXPECT(size == sizeof field);
  CHECK(cudaMemcpyFromSymbol(&value, own, sizeof value, 2 * sizeof value));
  EXPECT(value == 52);
}

static void ask_before_any_launch() {
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, &field[7]));
  EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.device == 0);
  EXPECT(attributes.devicePointer == &field[7] && attributes.hostPointer == &field[7]);
  EXPECT(cudaFree(&total) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
}

int main() {
  use_before_any_launch();
  ask_before_any_launch();
  share();
  copy_and_ask();
  std::puts("passed");
}
