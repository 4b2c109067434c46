// Functions that call themselves or are virtual, with places that nothing reaches: compilers put `exit` there. And
// functions in which some threads do exit.
#include <cuda_runtime.h>

#include <cstdio>

#include "check.h"

enum class Op : unsigned char { number, add, multiply, negate };
struct Node {
  Op op;
  int value;
  const Node *left, *right;
};

__device__ int evaluate(const Node* node) {
  switch (node->op) {
    case Op::number: return node->value;
    case Op::add: return evaluate(node->left) + evaluate(node->right);
    case Op::multiply: return evaluate(node->left) * evaluate(node->right);
    case Op::negate: return -evaluate(node->left);
  }
  __builtin_unreachable();
}
__global__ void evaluate_all(const Node* nodes, int* results) {
  results[threadIdx.x] = evaluate(nodes + threadIdx.x % 5) + static_cast<int>(threadIdx.x);
}

struct Step {
  __device__ virtual int of(int x) const = 0;
};
struct Choice : Step {
  __device__ int of(int x) const override {
    switch (static_cast<unsigned>(x) % 3u) {
      case 0: return x * 5;
      case 1: return x * x - 7;
      case 2: return x / 3 + 11;
    }
    __builtin_unreachable();
  }
};
struct Leaving : Step {
  __device__ int of(int x) const override {
    if (x % 4 == 1) asm volatile("exit;");
    return x + 1;
  }
};
// Every second thread takes a Leaving; the rest of the block goes on without those that are gone.
__global__ void steps(int* results) {
  __shared__ int there;
  Choice choice;
  Leaving leaving;
  const Step* step = threadIdx.x % 2 == 0 ? static_cast<const Step*>(&choice) : &leaving;
  if (threadIdx.x == 0) there = 0;
  __syncthreads();
  const int result = step->of(static_cast<int>(threadIdx.x));
  atomicAdd(&there, 1);
  __syncthreads();
  results[threadIdx.x] = result * 1000 + there;
}

int expected_step(int x) {
  if (x % 2 != 0) return x + 1;
  return x % 3 == 0 ? x * 5 : x % 3 == 1 ? x * x - 7 : x / 3 + 11;
}

int main() {
  constexpr int n = 96;
  Node* nodes;
  int* results;
  CHECK(cudaMallocManaged(&nodes, 5 * sizeof *nodes));
  CHECK(cudaMallocManaged(&results, n * sizeof *results));
  nodes[0] = {Op::add, 0, nodes + 1, nodes + 2};
  nodes[1] = {Op::number, 4, nullptr, nullptr};
  nodes[2] = {Op::negate, 0, nodes + 3, nullptr};
  nodes[3] = {Op::number, 9, nullptr, nullptr};
  nodes[4] = {Op::multiply, 0, nodes, nodes + 2};
  evaluate_all<<<1, n>>>(nodes, results);
  CHECK(cudaDeviceSynchronize());
  const int values[] = {-5, 4, -9, 9, 45};
  for (int i = 0; i < n; ++i) EXPECT(results[i] == values[i % 5] + i);

  for (int i = 0; i < n; ++i) results[i] = -1;
  steps<<<1, n>>>(results);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(results[i] == (i % 4 == 1 ? -1 : expected_step(i) * 1000 + n * 3 / 4));
  std::puts("passed");
}
