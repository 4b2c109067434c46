// Unified memory: host and device use the same pointers.
#include <cuda_runtime.h>

#include "check.h"

struct Node {
  int value;
  Node* next;
};

__global__ void walk(const Node* first, int* sum) {
  int all = 0;
  for (const Node* node = first; node; node = node->next) all += node->value;
  *sum = all;
}

int main() {
  const int n = 50;
  Node* nodes;
  int* sum;
  CHECK(cudaMallocManaged(&nodes, n * sizeof(Node)));
  CHECK(cudaMallocManaged(&sum, sizeof(int)));
  for (int i = 0; i < n; ++i) nodes[i] = {i, i + 1 < n ? &nodes[i + 1] : nullptr};
  walk<<<1, 1>>>(nodes, sum);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*sum == n * (n - 1) / 2);
  nodes[10].value += 100;
  walk<<<1, 1>>>(nodes, sum);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*sum == n * (n - 1) / 2 + 100);
  CHECK(cudaFree(nodes));
  CHECK(cudaFree(sum));
  std::puts("passed");
}
