// Many threads, each with graphs of its own, on one device.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "cuda_api/graph_support.hpp"

namespace heddle::tests {
namespace {

constexpr unsigned n = 500;

// What a thread has: two streams that record a graph together, an event between them, memory.
struct Mine {
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  std::uint32_t *p = nullptr, *q = nullptr;
  std::atomic<unsigned> calls{0};

  void start() {
    CHECK_CUDA(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK_CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreate(&fork));
    CHECK_CUDA(cudaEventCreate(&join));
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&p), n * 4));
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&q), n * 4));
    CHECK_CUDA(cudaMemsetAsync(p, 0, n * 4, first));
    CHECK_CUDA(cudaMemsetAsync(q, 0, n * 4, first));
  }
  void end() {
    for (std::uint32_t* each : {p, q}) CHECK_CUDA(cudaFree(each));
    for (cudaEvent_t each : {fork, join}) CHECK_CUDA(cudaEventDestroy(each));
    for (cudaStream_t each : {first, second}) CHECK_CUDA(cudaStreamDestroy(each));
  }
  void axpb(cudaStream_t into, std::uint32_t* x, std::uint32_t factor, std::uint32_t more) const {
    AxpbArguments given(x, factor, more, n);
    CHECK_CUDA(cudaLaunchKernel(kernels().axpb, dim3{4, 1, 1}, dim3{128, 1, 1}, given.pointers, 0, into));
  }
  // p += more beside q += more, through memory of the graph's own; then a call of the host.
  void record(cudaGraph_t* graph, std::uint32_t more) {
    CHECK_CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
    CHECK_CUDA(cudaEventRecord(fork, first));
    CHECK_CUDA(cudaStreamWaitEvent(second, fork, 0));
    axpb(first, p, 1, more);
    void* own = nullptr;
    CHECK_CUDA(cudaMallocAsync(&own, n * 4, second));
    CHECK_CUDA(cudaMemcpyAsync(own, q, n * 4, cudaMemcpyDeviceToDevice, second));
    axpb(second, static_cast<std::uint32_t*>(own), 1, more);
    CHECK_CUDA(cudaMemcpyAsync(q, own, n * 4, cudaMemcpyDeviceToDevice, second));
    CHECK_CUDA(cudaFreeAsync(own, second));
    CHECK_CUDA(cudaEventRecord(join, second));
    CHECK_CUDA(cudaStreamWaitEvent(first, join, 0));
    CHECK_CUDA(
        cudaLaunchHostFunc(first, [](void* counter) { ++*static_cast<std::atomic<unsigned>*>(counter); }, &calls));
    CHECK_CUDA(cudaStreamEndCapture(first, graph));
  }
};

void work(std::uint32_t thread) {
  constexpr unsigned graphs = 4, launches = 5;
  Mine mine;
  mine.start();
  std::uint32_t expected = 0;
  for (unsigned g = 0; g < graphs; ++g) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    mine.record(&graph, thread + g);
    CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 0; i < launches; ++i) {
      CHECK_CUDA(cudaGraphLaunch(exec, i % 2 ? mine.second : mine.first));
      expected += thread + g;
    }
    // The end of both may come before what they do has run.
    if (g % 2 == 1) {
      CHECK_CUDA(cudaStreamSynchronize(mine.second));
    }
    CHECK_CUDA(cudaGraphExecDestroy(exec));
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK_CUDA(cudaStreamSynchronize(mine.first));
    CHECK_CUDA(cudaStreamSynchronize(mine.second));
  }
  std::vector<std::uint32_t> seen(2 * std::size_t{n});
  CHECK_CUDA(cudaMemcpyAsync(seen.data(), mine.p, n * 4, cudaMemcpyDeviceToHost, mine.first));
  CHECK_CUDA(cudaMemcpyAsync(seen.data() + n, mine.q, n * 4, cudaMemcpyDeviceToHost, mine.first));
  CHECK_CUDA(cudaStreamSynchronize(mine.first));
  EXPECT_EQ(seen, std::vector<std::uint32_t>(seen.size(), expected));
  EXPECT_EQ(mine.calls, graphs * launches);
  mine.end();
}

TEST(GraphThreads, RecordAndLaunchGraphsOfTheirOwn) {
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 6; ++t) threads.emplace_back(work, t + 1);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace heddle::tests
