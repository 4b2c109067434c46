// Streams that fork and join while they are captured; the graph is launched many times, then updated from another capture.
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

__global__ void scale(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

__global__ void add(float* sum, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += x[i] + y[i];
}

int main() {
  constexpr int n = 10000, launches = 25;
  float *x, *y, *sum;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  CHECK(cudaMalloc(&sum, n * sizeof(float)));
  CHECK(cudaMemset(sum, 0, n * sizeof(float)));
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i % 97);
  cudaStream_t main, side;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreate(&main));
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const auto capture = [&](float a, float b) {
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, main));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    CHECK(cudaMemcpyAsync(x, in.data(), n * sizeof(float), cudaMemcpyHostToDevice, main));
    CHECK(cudaMemcpyAsync(y, in.data(), n * sizeof(float), cudaMemcpyHostToDevice, side));
    scale<<<(n + 255) / 256, 256, 0, main>>>(x, a, n);
    scale<<<(n + 255) / 256, 256, 0, side>>>(y, b, n);
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(main, join, 0));
    add<<<(n + 255) / 256, 256, 0, main>>>(sum, x, y, n);
    CHECK(cudaStreamEndCapture(main, &graph));
    return graph;
  };
  cudaGraph_t graph = capture(2, 3), other = capture(10, 20);
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < launches; ++i) CHECK(cudaGraphLaunch(exec, main));
  cudaGraphExecUpdateResultInfo result;
  CHECK(cudaGraphExecUpdate(exec, other, &result));
  CHECK(cudaGraphLaunch(exec, main));
  CHECK(cudaMemcpyAsync(out.data(), sum, n * sizeof(float), cudaMemcpyDeviceToHost, main));
  CHECK(cudaStreamSynchronize(main));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(other));
  int wrong = nodes != 5;
  for (int i = 0; i < n; ++i) wrong += out[i] != in[i] * (5 * launches + 30);
  std::printf("%zu nodes, %d wrong\n", nodes, wrong);
  return wrong != 0;
}
