// A graph that is built node by node: a sum in two steps with memory of the graph's own, a child graph, a host function,
// and parameters that change from launch to launch.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t code = (call);                                                      \
    if (code != cudaSuccess) {                                                            \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

__device__ unsigned total;

__global__ void partial(const unsigned* in, unsigned* sums, int n) {
  __shared__ unsigned shared[128];
  unsigned sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}

__global__ void last(const unsigned* sums, int count, unsigned weight) {
  unsigned sum = 0;
  for (int i = 0; i < count; ++i) sum += sums[i];
  total = sum * weight;
}

struct Result {
  unsigned value;
  std::vector<unsigned> all;
};

void keep(void* data) {
  auto* result = static_cast<Result*>(data);
  result->all.push_back(result->value);
}

int main() {
  constexpr int n = 20000, blocks = 16;
  std::vector<unsigned> in(n);
  unsigned expected = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = i % 1009;
  unsigned* data;
  CHECK(cudaMalloc(&data, n * sizeof(unsigned)));
  Result result;

  cudaGraph_t graph, child;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&child, 0));
  cudaGraphNode_t copy, load, allocate, first, second, back, call, release;
  CHECK(cudaGraphAddMemcpyNode1D(&copy, child, nullptr, 0, data, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddChildGraphNode(&load, graph, nullptr, 0, child));
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.poolProps.location.id = 0;
  memory.bytesize = blocks * sizeof(unsigned);
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory));
  auto* sums = static_cast<unsigned*>(memory.dptr);
  int count = n, parts = blocks;
  unsigned weight = 1;
  void* first_arguments[] = {&data, &sums, &count};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(partial);
  kernel.gridDim = dim3(blocks);
  kernel.blockDim = dim3(128);
  kernel.kernelParams = first_arguments;
  cudaGraphNode_t both[] = {load, allocate};
  CHECK(cudaGraphAddKernelNode(&first, graph, both, 2, &kernel));
  void* second_arguments[] = {&sums, &parts, &weight};
  kernel.func = reinterpret_cast<void*>(last);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = second_arguments;
  CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&back, graph, &second, 1, &result.value, total, sizeof(unsigned), 0,
                                         cudaMemcpyDeviceToHost));
  cudaHostNodeParams host = {keep, &result};
  CHECK(cudaGraphAddHostNode(&call, graph, &back, 1, &host));
  CHECK(cudaGraphAddMemFreeNode(&release, graph, &second, 1, sums));

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (weight = 1; weight <= 5; ++weight) {
    CHECK(cudaGraphExecKernelNodeSetParams(exec, second, &kernel));
    CHECK(cudaGraphLaunch(exec, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(child));
  int wrong = result.all.size() != 5;
  for (unsigned i = 0; i < result.all.size(); ++i) wrong += result.all[i] != expected * (i + 1);
  std::printf("%zu launches, %d wrong\n", result.all.size(), wrong);
  return wrong != 0;
}
