// Executable graphs: the order of what they run, launches that overlap, memory, user objects, events, failures.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "cuda_api/graph_support.hpp"

namespace heddle::tests {
namespace {

using Nodes = std::vector<cudaGraphNode_t>;

// Holds a host function of a stream back until it is opened.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false, reached = false;
  static void pass(void* data) {
    auto& gate = *static_cast<Gate*>(data);
    std::unique_lock lock(gate.mutex);
    gate.reached = true;
    gate.changed.notify_all();
    gate.changed.wait(lock, [&] { return gate.is_open; });
  }
  void open() {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
  void wait_until_reached() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return reached; });
  }
};

void count_up(void* data) { ++*static_cast<std::atomic<int>*>(data); }

class GraphRunTest : public GraphTest {};

TEST_F(GraphRunTest, AChainRunsInItsOrderAsOftenAsItIsLaunched) {
  std::uint32_t* p = device_numbers(n, 0xff);
  std::vector<std::uint32_t> host(n, 1), back(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t in = nullptr, out = nullptr;
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&in, g, nullptr, 0, p, host.data(), n * 4, cudaMemcpyHostToDevice));
  cudaGraphNode_t a = axpb_node(g, {in}, p, 2, 1), b = axpb_node(g, {a}, p, 10, 4);
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&out, g, &b, 1, back.data(), p, n * 4, cudaMemcpyDeviceToHost));
  std::atomic<int> calls = 0;
  host_node(g, {out}, count_up, &calls);
  cudaGraphExec_t exec = instantiate(g);
  cudaStream_t s = stream();
  for (std::uint32_t i = 0; i < 20; ++i) {
    host.assign(n, i);
    run(exec, s);
    ASSERT_EQ(back, std::vector<std::uint32_t>(n, (i * 2 + 1) * 10 + 4));
  }
  EXPECT_EQ(calls, 20);
}

TEST_F(GraphRunTest, AnEmptyGraphCanBeLaunched) { run(instantiate(graph()), stream()); }

TEST_F(GraphRunTest, ItRunsInTheLegacyAndThePerThreadStreamToo) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  axpb_node(g, {}, p, 1, 1);
  cudaGraphExec_t exec = instantiate(g);
  CHECK_CUDA(cudaGraphLaunch(exec, nullptr));
  CHECK_CUDA(cudaGraphLaunch(exec, cudaStreamPerThread));
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(read(p)[3], 2u);
}

// Host functions of a graph with random edges; each notes when it ran.
struct Noted {
  std::atomic<int>* clock;
  int time = -1;
  static void note(void* data) {
    auto& noted = *static_cast<Noted*>(data);
    noted.time = (*noted.clock)++;
  }
};

TEST_F(GraphRunTest, RandomGraphsOfHostFunctionsKeepToTheirEdges) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const std::size_t size = 5 + random() % 60;
    std::atomic<int> clock = 0;
    std::vector<Noted> noted(size, Noted{&clock});
    std::vector<std::vector<std::size_t>> before(size);
    Nodes made(size);
    cudaGraph_t g = graph();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < i; ++j)
        if (random() % size < 3) before[i].push_back(j);
      Nodes behind;
      for (std::size_t j : before[i]) behind.push_back(made[j]);
      made[i] = random() % 8 == 0 ? empty_node(g, behind) : host_node(g, behind, Noted::note, &noted[i]);
    }
    cudaGraphExec_t exec = instantiate(g);
    for (int round = 0; round < 3; ++round) {
      run(exec, stream());
      // What comes behind an empty node comes behind all that that does.
      std::vector<int> done(size, -1);
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j : before[i]) {
          if (noted[i].time >= 0) {
            ASSERT_GT(noted[i].time, done[j]) << "seed " << seed << ": " << j << " -> " << i;
          }
          done[i] = std::max(done[i], done[j]);
        }
        done[i] = std::max(done[i], noted[i].time);
      }
    }
  }
}

// A graph of kernels that each read what those before them have left, with copies of subgraphs among them.
class RandomKernels {
 public:
  RandomKernels(unsigned seed, std::uint32_t* cells, std::uint32_t* lists)
      : random_(seed), cells_(cells), lists_(lists) {}

  void fill(cudaGraph_t g, Nodes first, unsigned count, bool with_children) {
    Nodes made;
    std::vector<std::uint32_t> mine;
    for (unsigned i = 0; i < count; ++i) {
      std::vector<std::uint32_t> list;
      Nodes behind = first;
      for (std::size_t j = 0; j < made.size(); ++j) {
        if (random_() % 4 != 0) continue;
        behind.push_back(made[j]);
        list.push_back(mine[j]);
      }
      if (with_children && random_() % 6 == 0) {
        cudaGraph_t inner = nullptr;
        ASSERT_EQ(cudaGraphCreate(&inner, 0), cudaSuccess);
        fill(inner, {}, 4, false);
        made.push_back(nullptr);
        ASSERT_EQ(cudaGraphAddChildGraphNode(&made.back(), g, behind.data(), behind.size(), inner), cudaSuccess);
        mine.push_back(next_cell_ - 1);
        ASSERT_EQ(cudaGraphDestroy(inner), cudaSuccess);
      } else {
        made.push_back(add(g, behind, list));
        mine.push_back(next_cell_ - 1);
      }
    }
  }
  std::uint32_t cells() const { return next_cell_; }
  // What the cells must hold, computed one after the other in the order of making.
  const std::vector<std::uint32_t>& expected() const { return expected_; }
  const std::vector<std::uint32_t>& lists() const { return host_lists_; }

 private:
  cudaGraphNode_t add(cudaGraph_t g, const Nodes& behind, const std::vector<std::uint32_t>& list) {
    std::uint32_t *cells = cells_, *at = lists_ + host_lists_.size();
    auto count = static_cast<std::uint32_t>(list.size());
    std::uint32_t mine = next_cell_++;
    void* pointers[] = {&cells, &at, &count, &mine};
    const cudaKernelNodeParams p = {
        const_cast<void*>(kernels().gather), dim3{1, 1, 1}, dim3{1, 1, 1}, 0, pointers, nullptr};
    expected_.push_back(gathered(expected_, list, mine));
    host_lists_.insert(host_lists_.end(), list.begin(), list.end());
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&node, g, behind.data(), behind.size(), &p), cudaSuccess);
    return node;
  }

  std::mt19937 random_;
  std::uint32_t *cells_, *lists_;
  std::uint32_t next_cell_ = 0;
  std::vector<std::uint32_t> expected_, host_lists_;
};

TEST_F(GraphRunTest, RandomGraphsOfKernelsComputeWhatTheirOrderSays) {
  std::uint32_t *cells = device_numbers(4096), *lists = device_numbers(1 << 16);
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomKernels random(seed, cells, lists);
    cudaGraph_t g = graph();
    cudaGraphNode_t clear = nullptr;
    const cudaMemsetParams fill = {cells, 0, 0, 4, 4096, 1};
    CHECK_CUDA(cudaGraphAddMemsetNode(&clear, g, nullptr, 0, &fill));
    random.fill(g, {clear}, 10 + 5 * seed, true);
    CHECK_CUDA(cudaMemcpy(lists, random.lists().data(), random.lists().size() * 4, cudaMemcpyHostToDevice));
    cudaGraphExec_t exec = instantiate(g);
    cudaStream_t s = stream();
    for (int round = 0; round < 3; ++round) CHECK_CUDA(cudaGraphLaunch(exec, s));
    CHECK_CUDA(cudaStreamSynchronize(s));
    ASSERT_EQ(read(cells, random.cells()), random.expected()) << "seed " << seed;
  }
}

TEST_F(GraphRunTest, BranchesRunAtTheSameTime) {
  // Each of two branches waits for the other: were they one after the other, neither would end.
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    int here = 0;
    bool met = true;
    static void come(void* data) {
      auto& meeting = *static_cast<Meeting*>(data);
      std::unique_lock lock(meeting.mutex);
      ++meeting.here;
      meeting.changed.notify_all();
      if (!meeting.changed.wait_for(lock, std::chrono::seconds(60), [&] { return meeting.here >= 2; }))
        meeting.met = false;
    }
  } meeting;
  cudaGraph_t g = graph();
  cudaGraphNode_t root = empty_node(g, {});
  cudaGraphNode_t a = host_node(g, {root}, Meeting::come, &meeting), b = host_node(g, {root}, Meeting::come, &meeting);
  empty_node(g, {a, b});
  run(instantiate(g), stream());
  EXPECT_TRUE(meeting.met);
}

TEST_F(GraphRunTest, LaunchesOfOneGraphComeOneAfterTheOther) {
  std::uint32_t* p = device_numbers(n);
  Gate gate;
  cudaGraph_t g = graph();
  cudaGraphNode_t held = host_node(g, {}, Gate::pass, &gate);
  axpb_node(g, {held}, p, 3, 1);
  cudaGraphExec_t exec = instantiate(g);
  cudaStream_t a = stream(), b = stream();
  CHECK_CUDA(cudaGraphLaunch(exec, a));
  CHECK_CUDA(cudaGraphLaunch(exec, b));
  gate.wait_until_reached();
  EXPECT_EQ(cudaStreamQuery(b), cudaErrorNotReady);
  gate.open();
  CHECK_CUDA(cudaStreamSynchronize(b));
  EXPECT_EQ(cudaStreamQuery(a), cudaSuccess);
  EXPECT_EQ(read(p)[0], 4u);
}

TEST_F(GraphRunTest, AGraphMayBeDestroyedWhileItRuns) {
  std::uint32_t* p = device_numbers(n);
  Gate gate;
  std::atomic<int> destroyed = 0;
  cudaUserObject_t object = nullptr;
  CHECK_CUDA(cudaUserObjectCreate(&object, &destroyed, count_up, 1, cudaUserObjectNoDestructorSync));
  cudaGraph_t g = nullptr;
  CHECK_CUDA(cudaGraphCreate(&g, 0));
  CHECK_CUDA(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
  cudaGraphNode_t held = host_node(g, {}, Gate::pass, &gate);
  cudaGraphNode_t a = axpb_node(g, {held}, p, 1, 1), b = axpb_node(g, {held}, p + n / 2, 1, 0);
  axpb_node(g, {a, b}, p, 1, 1);
  cudaGraphExec_t exec = nullptr;
  CHECK_CUDA(cudaGraphInstantiate(&exec, g, 0ull));
  cudaStream_t s = stream();
  CHECK_CUDA(cudaGraphLaunch(exec, s));
  CHECK_CUDA(cudaGraphDestroy(g));
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  EXPECT_EQ(cudaGraphLaunch(exec, s), cudaErrorInvalidValue);
  EXPECT_EQ(destroyed, 0);  // still running
  gate.open();
  CHECK_CUDA(cudaStreamSynchronize(s));
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(read(p)[0], 2u);
}

TEST_F(GraphRunTest, UserObjectsLiveAsLongAsSomethingHoldsThem) {
  std::atomic<int> destroyed = 0;
  cudaUserObject_t object = nullptr;
  EXPECT_EQ(cudaUserObjectCreate(&object, &destroyed, count_up, 1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaUserObjectCreate(&object, &destroyed, count_up, 0, 1), cudaErrorInvalidValue);
  CHECK_CUDA(cudaUserObjectCreate(&object, &destroyed, count_up, 2, cudaUserObjectNoDestructorSync));
  CHECK_CUDA(cudaUserObjectRetain(object, 1));
  CHECK_CUDA(cudaUserObjectRelease(object, 3 - 1));
  cudaGraph_t g = nullptr, clone = nullptr;
  CHECK_CUDA(cudaGraphCreate(&g, 0));
  CHECK_CUDA(cudaGraphRetainUserObject(g, object, 2, 0));
  CHECK_CUDA(cudaUserObjectRelease(object, 1));
  CHECK_CUDA(cudaGraphReleaseUserObject(g, object, 1));
  EXPECT_EQ(cudaGraphReleaseUserObject(g, object, 2), cudaErrorInvalidValue);  // it has one
  CHECK_CUDA(cudaGraphClone(&clone, g));
  CHECK_CUDA(cudaGraphDestroy(g));
  EXPECT_EQ(destroyed, 0);  // the clone's
  cudaGraphExec_t exec = nullptr;
  CHECK_CUDA(cudaGraphInstantiate(&exec, clone, 0ull));
  CHECK_CUDA(cudaGraphDestroy(clone));
  EXPECT_EQ(destroyed, 0);  // the executable graph's
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
}

TEST_F(GraphRunTest, EventsOfOutsideAreRecordedAndWaitedFor) {
  std::uint32_t *p = device_numbers(n), *q = device_numbers(n);
  Gate gate;
  cudaEvent_t recorded = event(), awaited = event();
  cudaGraph_t first = graph(), second = graph();
  cudaGraphNode_t held = host_node(first, {}, Gate::pass, &gate), a = axpb_node(first, {held}, p, 1, 7);
  cudaGraphNode_t record = nullptr, wait = nullptr, copy = nullptr;
  CHECK_CUDA(cudaGraphAddEventRecordNode(&record, first, &a, 1, recorded));
  CHECK_CUDA(cudaGraphAddEventWaitNode(&wait, second, nullptr, 0, awaited));
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&copy, second, &wait, 1, q, p, n * 4, cudaMemcpyDeviceToDevice));
  cudaEvent_t got = nullptr;
  CHECK_CUDA(cudaGraphEventRecordNodeGetEvent(record, &got));
  EXPECT_EQ(got, recorded);
  CHECK_CUDA(cudaGraphEventWaitNodeSetEvent(wait, recorded));
  cudaGraphExec_t one = instantiate(first), two = instantiate(second);
  cudaStream_t s = stream(), t = stream();
  CHECK_CUDA(cudaGraphLaunch(one, s));
  CHECK_CUDA(cudaGraphLaunch(two, t));
  gate.wait_until_reached();
  EXPECT_EQ(cudaEventQuery(recorded), cudaErrorNotReady);
  gate.open();
  CHECK_CUDA(cudaEventSynchronize(recorded));
  CHECK_CUDA(cudaStreamSynchronize(t));
  EXPECT_EQ(read(q)[n - 1], 7u);
}

TEST_F(GraphRunTest, VariablesAreCopiedByTheirSymbols) {
  std::vector<std::uint32_t> in = {1, 2, 3, 4}, out(4);
  cudaGraph_t g = graph();
  cudaGraphNode_t to = nullptr, from = nullptr;
  CHECK_CUDA(
      cudaGraphAddMemcpyNodeToSymbol(&to, g, nullptr, 0, kernels().numbers, in.data(), 16, 8, cudaMemcpyHostToDevice));
  CHECK_CUDA(
      cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, out.data(), kernels().numbers, 8, 12, cudaMemcpyDeviceToHost));
  EXPECT_EQ(cudaGraphAddMemcpyNodeToSymbol(&to, g, nullptr, 0, &in, in.data(), 16, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
  run(instantiate(g), stream());
  EXPECT_EQ(out, (std::vector<std::uint32_t>{2, 3, 0, 0}));
}

TEST_F(GraphRunTest, BoxesAreCopiedAndFilled) {
  // Rows of 32 bytes in planes of 4 rows; a box of 8 x 2 x 2 in the middle.
  auto* p = reinterpret_cast<unsigned char*>(device_numbers(64));
  std::vector<unsigned char> host(256);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i);
  cudaMemcpy3DParms box = {};
  box.srcPtr = {host.data(), 32, 32, 4};
  box.dstPtr = {p, 32, 32, 4};
  box.srcPos = box.dstPos = {4, 1, 0};
  box.extent = {8, 2, 2};
  box.kind = cudaMemcpyHostToDevice;
  const cudaMemsetParams fill = {p, 32, 0x1234, 2, 2, 3};
  cudaGraph_t g = graph();
  cudaGraphNode_t copy = nullptr, set = nullptr;
  CHECK_CUDA(cudaGraphAddMemcpyNode(&copy, g, nullptr, 0, &box));
  CHECK_CUDA(cudaGraphAddMemsetNode(&set, g, &copy, 1, &fill));
  run(instantiate(g), stream());
  std::vector<unsigned char> expected(256), got(256);
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 1; y < 3; ++y)
      for (std::size_t x = 4; x < 12; ++x) expected[z * 128 + y * 32 + x] = host[z * 128 + y * 32 + x];
  for (std::size_t y = 0; y < 3; ++y)
    for (std::size_t x = 0; x < 4; ++x) expected[y * 32 + x] = x % 2 ? 0x12 : 0x34;
  CHECK_CUDA(cudaMemcpy(got.data(), p, 256, cudaMemcpyDeviceToHost));
  EXPECT_EQ(got, expected);
}

TEST_F(GraphRunTest, ManyThreadsLaunchGraphsOfTheirOwn) {
  std::vector<std::thread> threads;
  std::vector<std::uint32_t*> memory;
  for (int t = 0; t < 4; ++t) memory.push_back(device_numbers(n));
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::uint32_t* p = memory[static_cast<std::size_t>(t)];
      cudaGraph_t g = nullptr;
      cudaGraphExec_t exec = nullptr;
      cudaStream_t s = nullptr;
      failures += cudaStreamCreate(&s) != cudaSuccess || cudaGraphCreate(&g, 0) != cudaSuccess;
      cudaGraphNode_t a = axpb_node(g, {}, p, 1, 1);
      cudaGraphNode_t b = axpb_node(g, {a}, p, 1, 1), c = empty_node(g, {a});
      axpb_node(g, {b, c}, p, 1, 1);
      failures += cudaGraphInstantiate(&exec, g, 0ull) != cudaSuccess;
      for (int i = 0; i < 50; ++i) failures += cudaGraphLaunch(exec, s) != cudaSuccess;
      failures += cudaGraphExecDestroy(exec) != cudaSuccess || cudaGraphDestroy(g) != cudaSuccess;
      failures += cudaStreamSynchronize(s) != cudaSuccess || cudaStreamDestroy(s) != cudaSuccess;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  for (std::uint32_t* p : memory) EXPECT_EQ(read(p)[n / 2], 150u);
}

// The last of its kind: it ends the context, which cudaDeviceReset makes anew.
TEST_F(GraphRunTest, ZAFailureInAnyBranchIsToldToWhoWaits) {
  std::uint32_t* p = device_numbers(n);
  cudaGraph_t g = graph();
  cudaGraphNode_t root = axpb_node(g, {}, p, 1, 1), bad = nullptr;
  axpb_node(g, {root}, p, 1, 1);
  const cudaKernelNodeParams fault = {
      const_cast<void*>(kernels().fault), dim3{1, 1, 1}, dim3{1, 1, 1}, 0, nullptr, nullptr};
  CHECK_CUDA(cudaGraphAddKernelNode(&bad, g, &root, 1, &fault));
  cudaGraphExec_t exec = instantiate(g);
  cudaStream_t s = stream();
  CHECK_CUDA(cudaGraphLaunch(exec, s));
  EXPECT_NE(cudaStreamSynchronize(s), cudaSuccess);
  EXPECT_NE(cudaGraphLaunch(exec, s), cudaSuccess);
  CHECK_CUDA(cudaDeviceReset());
  EXPECT_EQ(cudaGraphLaunch(exec, nullptr), cudaErrorInvalidValue);  // of before
}

}  // namespace
}  // namespace heddle::tests
