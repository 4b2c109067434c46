// Stream capture: what becomes of calls, how streams join, and the point of a capture that programs see and change.
#include <atomic>
#include <ctime>
#include <random>
#include <thread>

#include "cuda_api/graph_capture_support.hpp"

namespace heddle::tests {
namespace {

void count_up(void* data) { ++*static_cast<std::atomic<int>*>(data); }

// Every kind of operation that a stream takes; the same at once and captured.
struct Operations {
  std::uint32_t *p, *q;
  std::vector<std::uint32_t> in, out;
  std::atomic<int> calls = 0;
  Operations(std::uint32_t* p_, std::uint32_t* q_) : p(p_), q(q_), in(1000), out(1000) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i * i);
  }
  void put(cudaStream_t s) {
    CHECK_CUDA(cudaMemcpyAsync(p, in.data(), 4000, cudaMemcpyHostToDevice, s));
    AxpbArguments one(p, 3, 1), two(q, 5, 2);
    CHECK_CUDA(cudaLaunchKernel(kernels().axpb, dim3{8, 1, 1}, dim3{128, 1, 1}, one.pointers, 0, s));
    CHECK_CUDA(cudaMemcpyAsync(q, p, 2000, cudaMemcpyDeviceToDevice, s));
    CHECK_CUDA(cudaMemsetAsync(q + 500, 1, 400, s));
    CHECK_CUDA(cudaMemset3DAsync({q + 600, 16, 16, 2}, 2, {8, 2, 3}, s));
    CHECK_CUDA(cudaMemcpy2DAsync(q + 800, 40, p, 20, 12, 4, cudaMemcpyDeviceToDevice, s));
    CHECK_CUDA(cudaMemcpyToSymbolAsync(kernels().numbers, p, 16, 0, cudaMemcpyDeviceToDevice, s));
    CHECK_CUDA(cudaLaunchKernel(kernels().axpb, dim3{8, 1, 1}, dim3{128, 1, 1}, two.pointers, 0, s));
    CHECK_CUDA(cudaMemcpyAsync(out.data(), q, 4000, cudaMemcpyDeviceToHost, s));
    CHECK_CUDA(cudaLaunchHostFunc(s, count_up, &calls));
  }
};

TEST_F(GraphCaptureTest, ACapturedStreamDoesWhatItWouldHaveDoneAtOnce) {
  Operations now(device_numbers(n), device_numbers(n)), later(device_numbers(n), device_numbers(n));
  cudaStream_t s = stream();
  now.put(s);
  CHECK_CUDA(cudaStreamSynchronize(s));
  begin(s);
  EXPECT_EQ(status(s), cudaStreamCaptureStatusActive);
  later.put(s);
  cudaGraph_t g = nullptr;
  CHECK_CUDA(cudaStreamEndCapture(s, &g));
  EXPECT_EQ(status(s), cudaStreamCaptureStatusNone);
  EXPECT_EQ(nodes(g).size(), 10u);
  EXPECT_EQ(later.calls, 0);
  EXPECT_EQ(read(later.p), std::vector<std::uint32_t>(n));  // nothing has run
  cudaGraphExec_t exec = instantiate(g);
  for (int i = 1; i <= 2; ++i) {
    CHECK_CUDA(cudaMemset(later.q, 0, n * 4));
    run(exec, s);
    EXPECT_EQ(later.out, now.out);
    EXPECT_EQ(later.calls, i);
  }
  std::vector<std::uint32_t> variable(4);
  CHECK_CUDA(cudaMemcpyFromSymbol(variable.data(), kernels().numbers, 16, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(variable[3], 9u * 3 + 1);
  CHECK_CUDA(cudaGraphDestroy(g));
}

TEST_F(GraphCaptureTest, StreamsForkAndJoin) {
  std::uint32_t *a = device_numbers(n), *b = device_numbers(n);
  cudaStream_t s = stream(), t = stream(cudaStreamDefault), u = stream();
  cudaEvent_t fork = event(), join = event(), join_too = event();
  begin(s);
  axpb(s, a, 1, 1);
  axpb(s, b, 1, 2);
  CHECK_CUDA(cudaEventRecord(fork, s));
  CHECK_CUDA(cudaStreamWaitEvent(t, fork, 0));
  CHECK_CUDA(cudaStreamWaitEvent(u, fork, 0));
  EXPECT_EQ(status(t), cudaStreamCaptureStatusActive);
  axpb(t, a, 10, 0);
  axpb(u, b, 10, 1);
  CHECK_CUDA(cudaEventRecord(join, t));
  CHECK_CUDA(cudaEventRecord(join_too, u));
  CHECK_CUDA(cudaStreamWaitEvent(s, join, 0));
  CHECK_CUDA(cudaStreamWaitEvent(s, join_too, 0));
  axpb(s, a, 2, 0);
  cudaGraph_t g = nullptr;
  CHECK_CUDA(cudaStreamEndCapture(s, &g));
  EXPECT_EQ(status(t), cudaStreamCaptureStatusNone);
  std::size_t edges = 0;
  CHECK_CUDA(cudaGraphGetEdges(g, nullptr, nullptr, &edges));
  EXPECT_EQ(nodes(g).size(), 5u);
  EXPECT_EQ(edges, 6u);  // the last kernel comes behind what the stream had before it forked as well
  run(instantiate(g), stream());
  EXPECT_EQ(read(a)[0], 20u);
  EXPECT_EQ(read(b)[0], 21u);
  CHECK_CUDA(cudaGraphDestroy(g));
}

TEST_F(GraphCaptureTest, RandomStreamsGiveWhatTheyGiveAtOnce) {
  constexpr unsigned streams = 4;
  for (unsigned seed = 0; seed < 15; ++seed) {
    std::uint32_t *now = device_numbers(64), *later = device_numbers(64), *list = device_numbers(64);
    std::vector<std::uint32_t> numbers(64);
    for (std::uint32_t i = 0; i < 64; ++i) numbers[i] = i;
    CHECK_CUDA(cudaMemcpy(list, numbers.data(), 256, cudaMemcpyHostToDevice));
    std::vector<cudaStream_t> s;
    for (unsigned i = 0; i < streams; ++i) s.push_back(stream());
    std::vector<std::uint32_t> expected;
    const auto put = [&](std::uint32_t* cells) {
      std::mt19937 random(seed);
      expected.assign(64, 0);
      const auto join = [&](cudaStream_t from, cudaStream_t to) {
        cudaEvent_t e = event();
        EXPECT_EQ(cudaEventRecord(e, from), cudaSuccess);
        EXPECT_EQ(cudaStreamWaitEvent(to, e, 0), cudaSuccess);
      };
      for (unsigned i = 1; i < streams; ++i) join(s[0], s[i]);
      for (std::uint32_t mine = 0; mine < 64; ++mine) {
        // Reads what its stream may: all cells, behind a join of all streams, or its own cell.
        cudaStream_t into = s[random() % streams];
        std::uint32_t* from = list;
        std::uint32_t count = 0;
        if (random() % 3 == 0) {
          for (cudaStream_t other : s)
            if (other != into) join(other, into);
          count = mine;
        }
        expected[mine] = gathered(expected, {numbers.begin(), numbers.begin() + count}, mine);
        void* pointers[] = {&cells, &from, &count, &mine};
        EXPECT_EQ(cudaLaunchKernel(kernels().gather, dim3{1, 1, 1}, dim3{1, 1, 1}, pointers, 0, into), cudaSuccess);
      }
      for (unsigned i = 1; i < streams; ++i) join(s[i], s[0]);
    };
    put(now);
    CHECK_CUDA(cudaStreamSynchronize(s[0]));
    begin(s[0]);
    put(later);
    cudaGraph_t g = nullptr;
    CHECK_CUDA(cudaStreamEndCapture(s[0], &g));
    run(instantiate(g), stream());
    ASSERT_EQ(read(now, 64), expected) << "seed " << seed;
    ASSERT_EQ(read(later, 64), expected) << "seed " << seed;
    CHECK_CUDA(cudaGraphDestroy(g));
  }
}

TEST_F(GraphCaptureTest, ExternalEventsBecomeNodes) {
  std::uint32_t* p = device_numbers(n);
  cudaStream_t s = stream();
  cudaEvent_t done = event(), ready = event();
  EXPECT_EQ(cudaEventRecordWithFlags(done, s, cudaEventRecordExternal), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamWaitEvent(s, done, cudaEventWaitExternal), cudaErrorInvalidValue);
  begin(s);
  CHECK_CUDA(cudaStreamWaitEvent(s, ready, cudaEventWaitExternal));
  axpb(s, p, 1, 3);
  CHECK_CUDA(cudaEventRecordWithFlags(done, s, cudaEventRecordExternal));
  cudaGraph_t g = nullptr;
  CHECK_CUDA(cudaStreamEndCapture(s, &g));
  const auto all = nodes(g);
  ASSERT_EQ(all.size(), 3u);
  cudaGraphNodeType first = cudaGraphNodeTypeCount, last = cudaGraphNodeTypeCount;
  CHECK_CUDA(cudaGraphNodeGetType(all[0], &first));
  CHECK_CUDA(cudaGraphNodeGetType(all[2], &last));
  EXPECT_EQ(first, cudaGraphNodeTypeWaitEvent);
  EXPECT_EQ(last, cudaGraphNodeTypeEventRecord);
  CHECK_CUDA(cudaGraphLaunch(instantiate(g), s));
  CHECK_CUDA(cudaEventSynchronize(done));
  EXPECT_EQ(read(p)[0], 3u);
  CHECK_CUDA(cudaGraphDestroy(g));
}

TEST_F(GraphCaptureTest, ALaunchOfAGraphIsCapturedAsAChild) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t inner = graph(), g = nullptr;
  axpb_node(inner, {}, p, 2, 1);
  cudaGraphExec_t exec = instantiate(inner);
  cudaStream_t s = stream();
  begin(s);
  CHECK_CUDA(cudaGraphLaunch(exec, s));
  CHECK_CUDA(cudaGraphLaunch(exec, s));
  CHECK_CUDA(cudaStreamEndCapture(s, &g));
  ASSERT_EQ(nodes(g).size(), 2u);
  cudaGraphNodeType type = cudaGraphNodeTypeCount;
  CHECK_CUDA(cudaGraphNodeGetType(nodes(g)[0], &type));
  EXPECT_EQ(type, cudaGraphNodeTypeGraph);
  run(instantiate(g), s);
  EXPECT_EQ(read(p)[0], 3u);
  CHECK_CUDA(cudaGraphDestroy(g));
}

TEST_F(GraphCaptureTest, ThePointOfACaptureIsToldAndChanged) {
  std::uint32_t* p = device_numbers(n);
  cudaStream_t s = stream();
  cudaStreamCaptureStatus now = cudaStreamCaptureStatusActive;
  unsigned long long id = 0, same = 0;
  cudaGraph_t g = nullptr, ended = nullptr;
  const cudaGraphNode_t* tips = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 9;
  CHECK_CUDA(cudaStreamGetCaptureInfo_v2(s, &now, &id, &g, &tips, &count));
  EXPECT_EQ(now, cudaStreamCaptureStatusNone);
  EXPECT_EQ(cudaStreamUpdateCaptureDependencies(s, nullptr, 0, 1), cudaErrorIllegalState);
  begin(s);
  axpb(s, p, 1, 1);
  CHECK_CUDA(cudaStreamGetCaptureInfo(s, &now, &id));
  CHECK_CUDA(cudaStreamGetCaptureInfo_v2(s, &now, &same, &g, &tips, &count));
  EXPECT_EQ(now, cudaStreamCaptureStatusActive);
  EXPECT_EQ(id, same);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(tips[0], nodes(g)[0]);
  // A node of the program's own in the middle.
  cudaGraphNode_t own = axpb_node(g, {tips[0]}, p, 5, 0);
  EXPECT_EQ(cudaStreamUpdateCaptureDependencies(s, &own, 1, 7), cudaErrorInvalidValue);
  CHECK_CUDA(cudaStreamUpdateCaptureDependencies(s, &own, 1, cudaStreamSetCaptureDependencies));
  CHECK_CUDA(cudaStreamGetCaptureInfo_v3(s, &now, nullptr, nullptr, &tips, &edges, &count));
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(tips[0], own);
  EXPECT_EQ(edges[0].type, 0);
  axpb(s, p, 1, 2);
  CHECK_CUDA(cudaStreamEndCapture(s, &ended));
  EXPECT_EQ(ended, g);
  run(instantiate(g), s);
  EXPECT_EQ(read(p)[0], 7u);
  CHECK_CUDA(cudaGraphDestroy(g));
}

TEST_F(GraphCaptureTest, ACaptureMayGoIntoAGraphThatIsThere) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph(), other = graph(), ended = nullptr;
  cudaGraphNode_t first = axpb_node(g, {}, p, 1, 2), elsewhere = empty_node(other, {});
  cudaStream_t s = stream();
  EXPECT_EQ(cudaStreamBeginCaptureToGraph(s, g, &elsewhere, nullptr, 1, cudaStreamCaptureModeGlobal),
            cudaErrorInvalidValue);
  CHECK_CUDA(cudaStreamBeginCaptureToGraph(s, g, &first, nullptr, 1, cudaStreamCaptureModeGlobal));
  axpb(s, p, 10, 0);
  CHECK_CUDA(cudaStreamEndCapture(s, &ended));
  EXPECT_EQ(ended, g);
  run(instantiate(g), s);
  EXPECT_EQ(read(p)[0], 20u);
}

TEST_F(GraphCaptureTest, ThreadsCaptureAtTheSameTime) {
  std::vector<std::uint32_t*> memory;
  for (int t = 0; t < 4; ++t) memory.push_back(device_numbers(n));
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::uint32_t* p = memory[static_cast<std::size_t>(t)];
      cudaGraphExec_t exec = nullptr;
      for (int i = 0; i < 20; ++i) {
        AxpbArguments arguments(p, 1, 1);
        cudaGraph_t g = nullptr;
        failures += cudaStreamBeginCapture_ptsz(nullptr, cudaStreamCaptureModeThreadLocal) != cudaSuccess;
        for (int k = 0; k < 5; ++k)
          failures += cudaLaunchKernel_ptsz(kernels().axpb, dim3{8, 1, 1}, dim3{128, 1, 1}, arguments.pointers, 0,
                                            nullptr) != cudaSuccess;
        failures += cudaStreamEndCapture_ptsz(nullptr, &g) != cudaSuccess || nodes(g).size() != 5;
        failures += cudaGraphInstantiate(&exec, g, 0ull) != cudaSuccess || cudaGraphDestroy(g) != cudaSuccess;
        failures += cudaGraphLaunch(exec, cudaStreamPerThread) != cudaSuccess;
        failures += cudaGraphExecDestroy(exec) != cudaSuccess;
      }
      failures += cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  for (std::uint32_t* p : memory) EXPECT_EQ(read(p)[1], 100u);
}

// Of this thread, whatever else the machine does.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Twenty times the streams take some twenty times as long, not four hundred times.
TEST_F(GraphCaptureTest, ManyStreamsAreJoinedOneByOne) {
  const auto measure = [&](unsigned count, double& seconds) {
    cudaStream_t s = stream();
    std::uint32_t* p = device_numbers(n);
    std::vector<cudaStream_t> others;
    cudaEvent_t first = nullptr, last = nullptr;
    CHECK_CUDA(cudaEventCreateWithFlags(&first, cudaEventDisableTiming));
    CHECK_CUDA(cudaEventCreateWithFlags(&last, cudaEventDisableTiming));
    begin(s);
    CHECK_CUDA(cudaMemsetAsync(p, 1, 4, s));
    CHECK_CUDA(cudaEventRecord(first, s));
    for (unsigned i = 0; i < count; ++i) {
      others.push_back(nullptr);
      CHECK_CUDA(cudaStreamCreateWithFlags(&others.back(), cudaStreamNonBlocking));
      CHECK_CUDA(cudaStreamWaitEvent(others.back(), first, 0));
      CHECK_CUDA(cudaMemsetAsync(p, 2, 4, others.back()));
      CHECK_CUDA(cudaEventRecord(last, others.back()));
      CHECK_CUDA(cudaStreamWaitEvent(s, last, 0));
    }
    const double before = processor_seconds();
    cudaGraph_t g = nullptr;
    CHECK_CUDA(cudaStreamEndCapture(s, &g));
    seconds = processor_seconds() - before;
    std::size_t nodes = 0;
    CHECK_CUDA(cudaGraphGetNodes(g, nullptr, &nodes));
    EXPECT_EQ(nodes, count + 1u);
    CHECK_CUDA(cudaGraphDestroy(g));
    for (cudaStream_t other : others) CHECK_CUDA(cudaStreamDestroy(other));
    CHECK_CUDA(cudaEventDestroy(first));
    CHECK_CUDA(cudaEventDestroy(last));
  };
  double few = 0, many = 0;
  measure(100, few);
  measure(2000, many);
  EXPECT_LT(many, 100 * few + 0.02) << few << " s, " << many << " s";
}

}  // namespace
}  // namespace heddle::tests
