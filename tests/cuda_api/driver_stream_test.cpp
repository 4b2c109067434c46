// Streams, events, and stream memory operations.
#include <atomic>

#include "cuda_api/driver_support.hpp"
#include "support/wait_until.hpp"

namespace heddle::tests {
namespace {

using DriverStream = Driver;

TEST_F(DriverStream, StreamsAreMadeAndEnd) {
  CUstream stream = nullptr;
  ASSERT_CUDA(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -2));
  unsigned flags = 0;
  int priority = 0, least = -1, greatest = 1;
  CUcontext of = nullptr;
  EXPECT_CUDA(cuStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_CUDA(cuStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, -2);
  EXPECT_CUDA(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, 0);
  EXPECT_CUDA(cuStreamGetCtx(stream, &of));
  EXPECT_EQ(of, context);
  unsigned long long one = 0, legacy = 0;
  EXPECT_CUDA(cuStreamGetId(stream, &one));
  EXPECT_CUDA(cuStreamGetId(nullptr, &legacy));
  EXPECT_NE(one, legacy);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_CUDA(cuStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  // It belongs to its context whichever is current.
  CUcontext second = nullptr;
  ASSERT_CUDA(cuCtxCreate_v2(&second, 0, device));
  EXPECT_CUDA(cuStreamSynchronize(stream));
  EXPECT_CUDA(cuStreamGetCtx(stream, &of));
  EXPECT_EQ(of, context);
  ASSERT_CUDA(cuCtxDestroy_v2(second));
  ASSERT_CUDA(cuCtxSetCurrent(context));
  EXPECT_CUDA(cuStreamDestroy_v2(stream));
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize(reinterpret_cast<CUstream>(&flags)), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamCreate(&stream, 99), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverStream, EventsTellWhereAStreamIs) {
  CUstream stream = nullptr;
  CUevent start = nullptr, end = nullptr, untimed = nullptr;
  ASSERT_CUDA(cuStreamCreate(&stream, 0));
  ASSERT_CUDA(cuEventCreate(&start, CU_EVENT_DEFAULT));
  ASSERT_CUDA(cuEventCreate(&end, CU_EVENT_DEFAULT));
  ASSERT_CUDA(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  std::atomic<bool> go = false;
  EXPECT_CUDA(cuEventRecord(start, stream));
  EXPECT_CUDA(cuLaunchHostFunc(stream, [](void* p) { static_cast<std::atomic<bool>*>(p)->wait(false); }, &go));
  EXPECT_CUDA(cuEventRecord(end, stream));
  EXPECT_EQ(cuEventQuery(end), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  go = true;
  go.notify_all();
  EXPECT_CUDA(cuEventSynchronize(end));
  EXPECT_CUDA(cuEventQuery(end));
  float milliseconds = -1;
  EXPECT_CUDA(cuEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 0.0f);
  EXPECT_CUDA(cuEventRecord(untimed, stream));
  EXPECT_CUDA(cuStreamWaitEvent(nullptr, untimed, 0));
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CUDA(cuEventDestroy_v2(start));
  EXPECT_EQ(cuEventRecord(start, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventDestroy_v2(start), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventQuery(reinterpret_cast<CUevent>(&go)), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverStream, CallbacksComeInOrder) {
  std::vector<int> order;
  struct Note {
    std::vector<int>* order;
    int number;
  } notes[] = {{&order, 1}, {&order, 2}};
  const auto callback = [](CUstream, CUresult status, void* data) {
    auto* note = static_cast<Note*>(data);
    note->order->push_back(status == CUDA_SUCCESS ? note->number : -1);
  };
  EXPECT_CUDA(cuStreamAddCallback(nullptr, callback, &notes[0], 0));
  EXPECT_CUDA(cuStreamAddCallback(nullptr, callback, &notes[1], 0));
  EXPECT_CUDA(cuStreamSynchronize(nullptr));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_EQ(cuStreamAddCallback(nullptr, callback, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
}

// With the stream's error, as those of the runtime API. They make no calls of CUDA either.
TEST_F(DriverStream, CallbacksAreCalledAfterAFailure) {
  struct Seen {
    std::atomic<int> status{-1}, of_call{-1};
    CUstream stream = nullptr;
  } seen;
  CUstream stream = nullptr;
  ASSERT_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr wrong = 16;
  unsigned value = 1;
  void* arguments[] = {&wrong, &value};
  ASSERT_CUDA(cuLaunchKernel(function(load(add_ptx), "add"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  const auto callback = [](CUstream of, CUresult status, void* data) {
    auto& told = *static_cast<Seen*>(data);
    told.stream = of;
    told.of_call = cuStreamQuery(of);
    told.status = status;
  };
  ASSERT_CUDA(cuStreamAddCallback(stream, callback, &seen, 0));
  EXPECT_TRUE(wait_until([&] { return seen.status != -1; }));
  EXPECT_EQ(seen.status, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(seen.of_call, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(seen.stream, stream);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}

// More waiting streams than the device has workers, and what they wait for comes from streams behind them.
TEST_F(DriverStream, StreamsWaitForWordsThatOthersWrite) {
  constexpr unsigned count = 40;
  const CUdeviceptr words = allocate(count * 4), wide = allocate(8), sums = allocate(count * 4);
  EXPECT_CUDA(cuMemsetD32_v2(words, 0, count));
  EXPECT_CUDA(cuMemsetD32_v2(wide, 0, 2));
  EXPECT_CUDA(cuMemsetD32_v2(sums, 0, count));
  EXPECT_CUDA(cuCtxSynchronize());
  std::vector<CUstream> streams(count);
  for (unsigned i = 0; i < count; ++i) {
    ASSERT_CUDA(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    EXPECT_CUDA(cuStreamWaitValue32_v2(streams[i], words + 4 * i, 1, CU_STREAM_WAIT_VALUE_GEQ));
    EXPECT_CUDA(cuMemsetD32Async(sums + 4 * i, i + 1, 1, streams[i]));
    if (i + 1 < count) {
      EXPECT_CUDA(cuStreamWriteValue32_v2(streams[i], words + 4 * (i + 1), 5, 0));
    }
  }
  CUstream other = nullptr;  // has its turn after all that could run before
  ASSERT_CUDA(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  EXPECT_CUDA(cuLaunchHostFunc(other, [](void*) {}, nullptr));
  EXPECT_CUDA(cuStreamSynchronize(other));
  EXPECT_CUDA(cuStreamDestroy_v2(other));
  EXPECT_EQ(cuStreamQuery(streams[0]), CUDA_ERROR_NOT_READY);
  CUstream first = nullptr;
  ASSERT_CUDA(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  EXPECT_CUDA(cuStreamWriteValue32_v2(first, words, 1, 0));
  for (CUstream stream : streams) EXPECT_CUDA(cuStreamSynchronize(stream));
  const std::vector<unsigned> done = read(sums, count);
  for (unsigned i = 0; i < count; ++i) EXPECT_EQ(done[i], i + 1);

  CUstreamBatchMemOpParams operations[2] = {};
  operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  operations[0].writeValue.address = wide;
  operations[0].writeValue.value64 = 0x100000002;
  operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
  operations[1].waitValue.address = wide;
  operations[1].waitValue.value64 = 0x100000000;
  operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_AND;
  EXPECT_CUDA(cuStreamBatchMemOp_v2(first, 2, operations, 0));
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_EQ(read(wide, 2), (std::vector<unsigned>{2, 1}));
  unsigned mine = 0;
  EXPECT_EQ(cuStreamWriteValue32_v2(first, reinterpret_cast<CUdeviceptr>(&mine), 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32_v2(first, words + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32_v2(first, words, 1, 9), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::tests
