// A graph whose loop ends when a kernel says so.
#include <cstdio>

#include "check.h"

__global__ void count_down(cudaGraphConditionalHandle handle, int* left, int* turns) {
  *turns += 1;
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0);
}

int main() {
  int *left = nullptr, *turns = nullptr;
  CHECK(cudaMalloc(&left, sizeof(int)));
  CHECK(cudaMalloc(&turns, sizeof(int)));
  const int five = 5;
  CHECK(cudaMemcpy(left, &five, sizeof five, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(turns, 0, sizeof(int)));

  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle = 0;
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams loop = {};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node = nullptr, kernel = nullptr;
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
#else
  CHECK(cudaGraphAddNode(&node, graph, nullptr, 0, &loop));
#endif
  void* arguments[] = {&handle, &left, &turns};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void*>(count_down);
  params.gridDim = dim3(1);
  params.blockDim = dim3(1);
  params.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, loop.conditional.phGraph_out[0], nullptr, 0, &params));

  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, nullptr));
  CHECK(cudaDeviceSynchronize());
  int counted[2] = {};
  CHECK(cudaMemcpy(&counted[0], left, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&counted[1], turns, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  std::printf("%d left, %d turns: %s\n", counted[0], counted[1],
              counted[0] == 0 && counted[1] == 5 ? "passed" : "failed");
  return counted[0] == 0 && counted[1] == 5 ? 0 : 1;
}
