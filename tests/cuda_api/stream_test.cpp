// The order of streams, and what becomes of streams, events and host functions.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <latch>
#include <numeric>
#include <thread>
#include <tuple>
#include <vector>

#include "base/clock.hpp"
#include "cuda_api/cudart.hpp"

namespace heddle::tests {
namespace {

class Streams : public testing::Test {
 protected:
  Streams() {
    EXPECT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking), cudaSuccess);
  }
  ~Streams() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(free), cudaSuccess);
  }
  // A host function that waits takes a worker.
  static bool one_worker() {
    int workers = 0;
    EXPECT_EQ(cudaDeviceGetAttribute(&workers, 16, 0), cudaSuccess);
    return workers < 2;
  }
  cudaStream_t blocking = nullptr, free = nullptr;
};

enum Kind { legacy, made, apart, of_thread };

class Order : public Streams, public testing::WithParamInterface<std::tuple<Kind, Kind>> {
 protected:
  cudaStream_t of(Kind kind) {
    switch (kind) {
      case legacy: return nullptr;
      case made: return blocking;
      case apart: return free;
      default: return cudaStreamPerThread;
    }
  }
};

// The legacy stream waits for those that are in step with it, and they for it; nobody else waits.
TEST_P(Order, IsThatOfTheLegacyStream) {
  const auto [first, second] = GetParam();
  const bool waits = first == second || (first == legacy && second != apart) || (second == legacy && first != apart);
  if (!waits && one_worker()) GTEST_SKIP() << "needs two workers";
  Gate gate;
  std::atomic<bool> ran{false};
  ASSERT_EQ(gate.hold(of(first)), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(of(second), set_flag, &ran), cudaSuccess);
  if (waits) {
    if (!one_worker()) {
      EXPECT_EQ(let_others_run(), cudaSuccess);
    }
    EXPECT_FALSE(ran);
    EXPECT_EQ(cudaStreamQuery(of(second)), cudaErrorNotReady);
  } else {
    EXPECT_TRUE(comes(ran));
  }
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(of(second)), cudaSuccess);
  EXPECT_TRUE(ran);
}
INSTANTIATE_TEST_SUITE_P(Pairs, Order,
                         testing::Combine(testing::Values(legacy, made, apart, of_thread),
                                          testing::Values(legacy, made, apart, of_thread)));

TEST_F(Streams, ThatAreHeldUpHoldUpNoOthers) {
  if (one_worker()) GTEST_SKIP() << "needs two workers";
  for (int i = 0; i < 200; ++i) {
    Gate gate;
    std::atomic<bool> ran{false};
    ASSERT_EQ(gate.hold(blocking), cudaSuccess);
    ASSERT_EQ(cudaLaunchHostFunc(free, set_flag, &ran), cudaSuccess);
    ASSERT_TRUE(comes(ran)) << i;
    gate.open();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
}

// Two streams that the legacy stream waits for: the one that is idle must not let it pass the one that is not.
TEST_F(Streams, TheLegacyStreamWaitsForAll) {
  if (one_worker()) GTEST_SKIP() << "needs two workers";
  cudaStream_t other = nullptr;
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  Gate gate;
  std::atomic<bool> ran{false}, early{false};
  ASSERT_EQ(gate.hold(blocking), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(other, set_flag, &early), cudaSuccess);
  ASSERT_TRUE(comes(early));
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, set_flag, &ran), cudaSuccess);
  EXPECT_EQ(let_others_run(), cudaSuccess);
  EXPECT_FALSE(ran);
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_TRUE(ran);
  EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
}

TEST_F(Streams, AnEventThatIsRecordedAgainReleasesNobody) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  cudaStream_t waits = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&waits, cudaStreamNonBlocking), cudaSuccess);
  Gate gate;
  std::atomic<bool> ran{false};
  ASSERT_EQ(gate.hold(blocking), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, blocking), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(waits, event, 0), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(waits, set_flag, &ran), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, free), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  if (!one_worker()) {
    EXPECT_EQ(let_others_run(), cudaSuccess);
  }
  EXPECT_FALSE(ran);
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(waits), cudaSuccess);
  EXPECT_TRUE(ran);
  EXPECT_EQ(cudaStreamDestroy(waits), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(Streams, WhatIsInADestroyedStreamIsWaitedFor) {
  cudaStream_t ended = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&ended, cudaStreamNonBlocking), cudaSuccess);
  Gate gate;
  std::atomic<bool> ran{false};
  ASSERT_EQ(gate.hold(ended), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(ended, set_flag, &ran), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(ended), cudaSuccess);  // comes back at once
  EXPECT_FALSE(ran);
  EXPECT_EQ(cudaStreamQuery(ended), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  std::latch asks(1);
  std::thread opener([&] {
    asks.wait();
    if (!one_worker()) {
      EXPECT_EQ(let_others_run(), cudaSuccess);
    }
    gate.open();
  });
  asks.count_down();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(ran);
  opener.join();
}

TEST_F(Streams, DefaultStreamsCannotBeDestroyed) {
  for (cudaStream_t stream : {cudaStream_t{nullptr}, cudaStreamLegacy, cudaStreamPerThread})
    EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST_F(Streams, ThreadsHaveStreamsOfTheirOwn) {
  Gate gate;
  ASSERT_EQ(gate.hold(cudaStreamPerThread), cudaSuccess);
  std::thread([] {
    std::atomic<bool> ran{false};
    ASSERT_EQ(cudaLaunchHostFunc(cudaStreamPerThread, set_flag, &ran), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    EXPECT_TRUE(ran);
  }).join();
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
}

// With some 16,000 commands pending, and without a lock that other threads need.
TEST_F(Streams, AThreadThatIsFarAheadWaits) {
  constexpr int launches = 60'000;
  const Program program;
  cudaStream_t other = nullptr;
  int* x = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), 256), cudaSuccess);
  ASSERT_EQ(cudaMemset(x, 0, 256), cudaSuccess);
  std::atomic<pid_t> thread{0};
  std::atomic<int> made{0};
  Gate gate;
  ASSERT_EQ(gate.hold(free), cudaSuccess);
  std::thread ahead([&] {
    thread = ::gettid();
    for (; made < launches; ++made) EXPECT_EQ(program.launch_add(x, 1, 1, free), cudaSuccess);
  });
  EXPECT_TRUE(wait_until([&] { return thread != 0 && made > 1'000 && is_blocked(thread); }));
  int* y = x + 32;
  EXPECT_EQ(program.launch_add(y, 1, 5, other), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  EXPECT_LT(made, 20'000);
  gate.open();
  ahead.join();
  int seen[33] = {};
  EXPECT_EQ(cudaStreamSynchronize(free), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(seen, x, sizeof seen, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(seen[0], launches);
  EXPECT_EQ(seen[32], 5);
  EXPECT_EQ(cudaFree(x), cudaSuccess);
}

// Streams that are destroyed with work in them: hundreds hold nothing up, thousands are bounded.
TEST_F(Streams, DestroyedOnesWithWorkAreBounded) {
  constexpr int many = 1'500, bound = 1'000;
  const Program program;
  int* x = nullptr;
  cudaEvent_t behind = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), many * 4), cudaSuccess);
  ASSERT_EQ(cudaMemset(x, 0, many * 4), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&behind, cudaEventDisableTiming), cudaSuccess);
  Gate gate;
  ASSERT_EQ(gate.hold(free), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(behind, free), cudaSuccess);
  std::atomic<pid_t> thread{0};
  std::atomic<int> made{0};
  std::thread makes([&] {
    thread = ::gettid();
    for (; made < many; ++made) {
      cudaStream_t stream = nullptr;
      EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
      EXPECT_EQ(cudaStreamWaitEvent(stream, behind, 0), cudaSuccess);
      EXPECT_EQ(program.launch_add(x + made, 1, 1, stream), cudaSuccess);
      EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    }
  });
  EXPECT_TRUE(wait_until([&] { return made >= bound && is_blocked(thread); }));
  EXPECT_LT(made, bound + 200);
  gate.open();
  makes.join();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<int> all(many);
  EXPECT_EQ(cudaMemcpy(all.data(), x, many * 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(all, std::vector<int>(many, 1));
  EXPECT_EQ(cudaEventDestroy(behind), cudaSuccess);
  EXPECT_EQ(cudaFree(x), cudaSuccess);
}

TEST_F(Streams, HostFunctionsRunInOrderAndMayNotCallCuda) {
  struct Seen {
    std::vector<int> order;
    cudaError_t inner = cudaSuccess, inner_of_function = cudaSuccess;
  } seen;
  const auto note = [](void* p) {
    static_cast<Seen*>(p)->order.push_back(1);
    static_cast<Seen*>(p)->inner_of_function = cudaDeviceSynchronize();
  };
  const auto call = [](cudaStream_t, cudaError_t status, void* p) {
    static_cast<Seen*>(p)->order.push_back(2 + status);
    static_cast<Seen*>(p)->inner = cudaDeviceSynchronize();  // would wait for itself
  };
  ASSERT_EQ(cudaLaunchHostFunc(free, note, &seen), cudaSuccess);
  ASSERT_EQ(cudaStreamAddCallback(free, call, &seen, 0), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(free, note, &seen), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(free), cudaSuccess);
  EXPECT_EQ(seen.order, (std::vector<int>{1, 2, 1}));
  EXPECT_EQ(seen.inner, cudaErrorNotPermitted);
  EXPECT_EQ(seen.inner_of_function, cudaErrorNotPermitted);
}

TEST_F(Streams, EventsTellTime) {
  cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);  // not recorded
  EXPECT_EQ(cudaEventQuery(start), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(start, free), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(free, [](void*) { let_pass(base::SteadyClock(), 20'000'000); }, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, free), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(untimed, free), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
  EXPECT_GE(ms, 19.0f);
  EXPECT_LT(ms, 20000.0f);
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(nullptr, start, end), cudaErrorInvalidValue);
  for (cudaEvent_t event : {start, end, untimed}) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(start), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(end, free), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST_F(Streams, WrongValuesAreRefused) {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchHostFunc(free, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventRecord(nullptr, free), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamGetFlags(free, nullptr), cudaErrorInvalidValue);
  unsigned flags = 7;
  EXPECT_EQ(cudaStreamGetFlags(free, &flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  cuda_api::abi::AttributeValue value{};
  EXPECT_EQ(cudaStreamGetAttribute(free, cuda_api::abi::synchronization_policy, &value), cudaSuccess);
  EXPECT_EQ(value.number, 1);
  value.number = 3;
  EXPECT_EQ(cudaStreamSetAttribute(free, cuda_api::abi::synchronization_policy, &value), cudaSuccess);
  value.number = 9;
  EXPECT_EQ(cudaStreamSetAttribute(free, cuda_api::abi::synchronization_policy, &value), cudaErrorInvalidValue);
  // Hints for caches are kept, where they make sense.
  cudaAccessPolicyWindow window = {reinterpret_cast<void*>(0x1000), 4096, 0.5f, cudaAccessPropertyPersisting,
                                   cudaAccessPropertyStreaming};
  std::memcpy(&value, &window, sizeof window);
  EXPECT_EQ(cudaStreamSetAttribute(free, cuda_api::abi::access_policy, &value), cudaSuccess);
  value = {};
  EXPECT_EQ(cudaStreamGetAttribute(free, cuda_api::abi::access_policy, &value), cudaSuccess);
  EXPECT_EQ(std::memcmp(&value, &window, sizeof window), 0);
  for (const cudaAccessPolicyWindow& wrong :
       {cudaAccessPolicyWindow{nullptr, std::size_t{1} << 40, 1, cudaAccessPropertyNormal, cudaAccessPropertyNormal},
        cudaAccessPolicyWindow{nullptr, 16, 2, cudaAccessPropertyNormal, cudaAccessPropertyNormal},
        cudaAccessPolicyWindow{nullptr, 16, 1, cudaAccessPropertyNormal, cudaAccessPropertyPersisting}}) {
    std::memcpy(&value, &wrong, sizeof wrong);
    EXPECT_EQ(cudaStreamSetAttribute(free, cuda_api::abi::access_policy, &value), cudaErrorInvalidValue);
  }
  EXPECT_EQ(cudaStreamGetAttribute(free, 77, &value), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// Programs keep handles for longer than what they name, and overwrite them. No such number is read as a pointer.
TEST_F(Streams, NumbersThatAreNoHandlesAreFound) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  float ms = 0;
  unsigned flags = 0;
  for (const std::uintptr_t number :
       {std::uintptr_t{3}, std::uintptr_t{0xdeadbeef}, std::uintptr_t{0xdeadbeefdeadbeef}, ~std::uintptr_t{0},
        reinterpret_cast<std::uintptr_t>(&ms), reinterpret_cast<std::uintptr_t>(free) + 8}) {
    const auto stream = reinterpret_cast<cudaStream_t>(number);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaLaunchHostFunc(stream, [](void*) {}, nullptr), cudaErrorInvalidResourceHandle) << number;
    const auto no_event = reinterpret_cast<cudaEvent_t>(number);
    EXPECT_EQ(cudaEventRecord(no_event, free), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaEventQuery(no_event), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaEventSynchronize(no_event), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaEventDestroy(no_event), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaEventElapsedTime(&ms, no_event, event), cudaErrorInvalidResourceHandle) << number;
    EXPECT_EQ(cudaStreamWaitEvent(free, no_event, 0), cudaErrorInvalidResourceHandle) << number;
    const auto pool = reinterpret_cast<cudaMemPool_t>(number);
    void* p = nullptr;
    EXPECT_EQ(cudaMallocFromPoolAsync(&p, 16, pool, free), cudaErrorInvalidValue) << number;
    EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue) << number;
  }
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

// More slots than the first block of them has.
TEST_F(Streams, ThereMayBeManyEvents) {
  std::vector<cudaEvent_t> events(1000);
  for (cudaEvent_t& event : events) ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  for (cudaEvent_t event : events) ASSERT_EQ(cudaEventRecord(event, free), cudaSuccess);
  for (cudaEvent_t event : events) ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
  for (cudaEvent_t event : events) ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
  for (cudaEvent_t event : events) ASSERT_EQ(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

// A stream that ends with the device's context is found to be none, whenever that happens.
TEST(StreamsOfThreads, AreMadeWhileTheDeviceIsReset) {
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::thread maker([&] {
    while (!done) {
      cudaStream_t stream = nullptr;
      if (cudaStreamCreate(&stream) != cudaSuccess) ++wrong;
      const cudaError_t error = cudaStreamDestroy(stream);
      if (error != cudaSuccess && error != cudaErrorContextIsDestroyed && error != cudaErrorInvalidResourceHandle)
        ++wrong;
    }
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  done = true;
  maker.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace heddle::tests
