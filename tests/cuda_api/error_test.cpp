// Errors: which last, which end the context, and what is seen of them where.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "cuda_api/cudart.hpp"
#include "support/wait_until.hpp"

extern "C" cudaError_t cudaLogsCurrent();  // one of those that Heddle refuses

namespace heddle::tests {
namespace {

class Errors : public testing::Test {
 protected:
  ~Errors() override { EXPECT_EQ(cudaDeviceReset(), cudaSuccess); }
  cudaError_t run(const void* kernel, cudaStream_t stream = nullptr) {
    return cudaLaunchKernel(kernel, {1}, {1}, nullptr, 0, stream);
  }
  Program program;
};

TEST_F(Errors, LastUntilAsked) {
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);  // not a sticky one
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1000), cudaErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();  // another thread's
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST_F(Errors, OfKernelsEndTheContext) {
  void* x = nullptr;
  ASSERT_EQ(cudaMalloc(&x, 64), cudaSuccess);
  ASSERT_EQ(run(program.faults()), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);  // stays
  EXPECT_EQ(cudaMemset(x, 0, 64), cudaErrorIllegalAddress);
  EXPECT_EQ(program.launch_add(x, 1, 1), cudaErrorIllegalAddress);
  std::thread([&] { EXPECT_EQ(cudaFree(x), cudaErrorIllegalAddress); }).join();
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&x, 64), cudaSuccess);
  EXPECT_EQ(cudaMemset(x, 0, 64), cudaSuccess);
  EXPECT_EQ(program.launch_add(x, 16, 3), cudaSuccess);
  int first = 0;
  EXPECT_EQ(cudaMemcpy(&first, x, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(first, 3);
}

// In another stream than the one that is waited for, but in step with it.
TEST_F(Errors, OfOtherStreamsAreSeenByCopies) {
  cudaStream_t stream = nullptr;
  void* x = nullptr;
  int there = 0;
  ASSERT_EQ(cudaMalloc(&x, 4), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(run(program.traps(), stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(&there, x, 4, cudaMemcpyDeviceToHost), cudaErrorLaunchFailure);
}

TEST_F(Errors, OfDestroyedStreamsAreSeen) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(run(program.traps(), stream), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

TEST_F(Errors, CallbacksAreToldHostFunctionsAreNotCalled) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  std::atomic<bool> called{false};
  std::atomic<int> status{-1};
  Gate gate;
  ASSERT_EQ(gate.hold(stream), cudaSuccess);
  ASSERT_EQ(run(program.traps(), stream), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(stream, set_flag, &called), cudaSuccess);
  ASSERT_EQ(cudaStreamAddCallback(
                stream, [](cudaStream_t, cudaError_t error, void* to) { *static_cast<std::atomic<int>*>(to) = error; },
                &status, 0),
            cudaSuccess);
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorLaunchFailure);
  EXPECT_TRUE(wait_until([&] { return status != -1; }));
  EXPECT_EQ(status, cudaErrorLaunchFailure);
  EXPECT_FALSE(called);
}

// One at a time, as those of a stream that has not failed.
TEST_F(Errors, CallbacksKeepTheirOrder) {
  struct Seen {
    std::atomic<int> count{0}, here{0}, wrong{0};
  } seen;
  struct Note {
    Seen* seen;
    int number;
  };
  constexpr int count = 200;
  std::vector<Note> notes;
  for (int i = 0; i < count; ++i) notes.push_back({&seen, i});
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const auto note = [](cudaStream_t, cudaError_t, void* data) {
    const auto& [to, number] = *static_cast<const Note*>(data);
    if (to->here.fetch_add(1) != 0) ++to->wrong;
    std::this_thread::yield();
    if (to->count.fetch_add(1) != number) ++to->wrong;
    --to->here;
  };
  Gate gate;
  ASSERT_EQ(gate.hold(stream), cudaSuccess);
  for (int i = 0; i < count; ++i) {
    if (i == 20) {
      ASSERT_EQ(run(program.faults(), stream), cudaSuccess);
    }
    ASSERT_EQ(cudaStreamAddCallback(stream, note, &notes[static_cast<std::size_t>(i)], 0), cudaSuccess);
  }
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_EQ(seen.count, count) << "the synchronisation waits for them";
  EXPECT_EQ(seen.wrong, 0);
}

// Synchronisation waits for those of its own stream, or before its own event, and not for others.
TEST_F(Errors, CallbacksOfOtherStreamsAreNotWaitedFor) {
  struct Pair {
    std::atomic<bool> called{false}, open{false};
  } first, second;
  const auto waits = [](cudaStream_t, cudaError_t, void* data) {
    auto& pair = *static_cast<Pair*>(data);
    pair.called = true;
    pair.open.wait(false);
  };
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t before = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&before), cudaSuccess);
  second.open = true;
  Gate gate;
  ASSERT_EQ(gate.hold(stream), cudaSuccess);
  ASSERT_EQ(gate.hold(other), cudaSuccess);
  ASSERT_EQ(run(program.faults(), stream), cudaSuccess);
  ASSERT_EQ(run(program.faults(), other), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(before, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamAddCallback(stream, waits, &first, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamAddCallback(other, waits, &second, 0), cudaSuccess);
  gate.open();
  EXPECT_TRUE(comes(first.called));
  EXPECT_EQ(cudaEventSynchronize(before), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaStreamSynchronize(other), cudaErrorIllegalAddress);
  EXPECT_TRUE(second.called);
  first.open = true;
  first.open.notify_all();
}

// Also where another thread has waited for it first, and those behind a failure in its stream never run.
TEST_F(Errors, StayWhicheverThreadIsToldFirst) {
  for (int round = 0; round < 20; ++round) {
    std::uint32_t* x = nullptr;
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), 4), cudaSuccess);
    ASSERT_EQ(cudaMemset(x, 0, 4), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    std::atomic<bool> over = false;
    std::thread waits([&] {
      while (!over) static_cast<void>(cudaDeviceSynchronize());
    });
    for (int i = 0; i < 20; ++i) {
      const cudaError_t added = program.launch_add(x, 1, 1, stream);
      EXPECT_TRUE(added == cudaSuccess || (i > 10 && added == cudaErrorLaunchFailure));
      if (i == 10) {
        EXPECT_EQ(run(program.traps(), stream), cudaSuccess);
      }
    }
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorLaunchFailure);
    over = true;
    waits.join();
    EXPECT_LE(*x, 11u) << "the CPU device's memory is the host's";
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  }
}

TEST_F(Errors, PlacesForResultsAreNeeded) {
  EXPECT_EQ(cudaDriverGetVersion(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaRuntimeGetVersion(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDeviceFlags(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
}

TEST_F(Errors, CallbacksOfDestroyedStreamsAreWaitedFor) {
  cudaStream_t stream = nullptr;
  std::atomic<int> called{0};
  Gate gate;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(gate.hold(stream), cudaSuccess);
  ASSERT_EQ(run(program.faults(), stream), cudaSuccess);
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(cudaStreamAddCallback(
                  stream,
                  [](cudaStream_t, cudaError_t, void* to) {
                    std::this_thread::yield();
                    ++*static_cast<std::atomic<int>*>(to);
                  },
                  &called, 0),
              cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  gate.open();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(called, 20);
}

// Not only that there was one, also where nobody has waited for it yet.
TEST_F(Errors, CallbacksGetThatOfTheStream) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  std::atomic<int> statuses[] = {-1, -1};
  Gate gate;
  ASSERT_EQ(gate.hold(stream), cudaSuccess);
  ASSERT_EQ(run(program.faults(), stream), cudaSuccess);
  for (std::atomic<int>& status : statuses)
    ASSERT_EQ(
        cudaStreamAddCallback(
            stream, [](cudaStream_t, cudaError_t error, void* to) { *static_cast<std::atomic<int>*>(to) = error; },
            &status, 0),
        cudaSuccess);
  gate.open();
  EXPECT_TRUE(wait_until([&] { return statuses[0] != -1 && statuses[1] != -1; }));
  EXPECT_EQ(statuses[0], cudaErrorIllegalAddress);
  EXPECT_EQ(statuses[1], cudaErrorIllegalAddress);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
}

// Also where two sentences take turns. A program whose launches all fail says as many lines as it launches else.
TEST_F(Errors, ThatAreTheSameAreSaidLessAndLessOften) {
  cudaEvent_t event = nullptr;
  constexpr unsigned shared = cudaEventDisableTiming | cudaEventInterprocess;
  testing::internal::CaptureStderr();
  std::thread threads[2];
  for (std::thread& thread : threads)
    thread = std::thread([&] {
      for (int i = 0; i < 500; ++i) {
        cudaEvent_t own = nullptr;
        EXPECT_EQ(cudaEventCreateWithFlags(&own, shared), cudaErrorNotSupported);
        EXPECT_EQ(cudaLogsCurrent(), cudaErrorNotSupported);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cudaEventCreateWithFlags(&event, shared), cudaErrorNotSupported);
  const std::string said = testing::internal::GetCapturedStderr();
  const auto lines_with = [&](const std::string& words) {
    std::size_t count = 0;
    for (std::size_t at = said.find(words); at != said.npos; at = said.find(words, at + 1)) ++count;
    return count;
  };
  for (const std::string function : {"cudaEventCreateWithFlags: ", "cudaLogsCurrent: "})
    EXPECT_EQ(lines_with(function), 4u) << said;  // the 1st, 10th, 100th and 1000th time
  for (const char* times : {"10th", "100th", "1000th"})
    EXPECT_EQ(lines_with(std::string("(cudaErrorNotSupported); for the ") + times + " time\n"), 2u) << said;
  EXPECT_EQ(lines_with("(cudaErrorNotSupported)\n"), 2u) << said;
}

TEST_F(Errors, EventsCarryThem) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(run(program.traps()), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorLaunchFailure);
}

TEST_F(Errors, ResetEndsStreamsOfOtherThreads) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  std::atomic<bool> stop{false};
  std::atomic<int> used{0};
  std::thread other([&] {
    while (!stop) {
      cudaStreamQuery(stream);
      cudaStreamQuery(cudaStreamPerThread);
      ++used;
    }
  });
  for (int i = 0; i < 20; ++i) {
    const int before = used;
    while (used < before + 5) std::this_thread::yield();
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  }
  stop = true;
  other.join();
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace heddle::tests
