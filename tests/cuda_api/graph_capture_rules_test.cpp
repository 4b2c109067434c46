// Stream capture: what is not allowed, and what that does to the capture.
#include <functional>
#include <thread>

#include "cuda_api/graph_capture_support.hpp"

namespace heddle::tests {
namespace {

TEST_F(GraphCaptureTest, AStreamThatIsNotJoinedEndsIt) {
  std::uint32_t* p = device_numbers(n);
  cudaStream_t s = stream(), t = stream();
  cudaEvent_t fork = event();
  begin(s);
  CHECK_CUDA(cudaEventRecord(fork, s));
  CHECK_CUDA(cudaStreamWaitEvent(t, fork, 0));
  axpb(t, p, 1, 1);
  cudaGraph_t g = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(t, &g), cudaErrorStreamCaptureUnmatched);  // begun in another
  EXPECT_EQ(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(g, nullptr);
  EXPECT_EQ(status(s), cudaStreamCaptureStatusNone);
  EXPECT_EQ(status(t), cudaStreamCaptureStatusNone);
  axpb(t, p, 1, 1);  // runs at once
  CHECK_CUDA(cudaStreamSynchronize(t));
  EXPECT_EQ(read(p)[0], 1u);
}

TEST_F(GraphCaptureTest, BeginningAndEndingAtTheWrongPlace) {
  cudaStream_t s = stream();
  cudaGraph_t g = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamBeginCapture(s, static_cast<cudaStreamCaptureMode>(9)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamEndCapture(s, &g), cudaErrorIllegalState);
  begin(s);
  EXPECT_EQ(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  std::thread([&] { EXPECT_EQ(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureWrongThread); }).join();
  expect_valid(s);
  begin(s, cudaStreamCaptureModeRelaxed);
  std::thread([&] { expect_valid(s); }).join();
}

TEST_F(GraphCaptureTest, WaitingForWhatIsCapturedInvalidatesIt) {
  cudaStream_t s = stream(), t = stream();
  cudaEvent_t e = event();
  begin(s, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamSynchronize(s), cudaErrorStreamCaptureInvalidated);
  expect_invalid(s);
  begin(s, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamQuery(s), cudaErrorStreamCaptureUnsupported);
  expect_invalid(s);
  begin(s, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  expect_invalid(s);
  begin(s, cudaStreamCaptureModeRelaxed);
  CHECK_CUDA(cudaEventRecord(e, s));
  CHECK_CUDA(cudaStreamSynchronize(t));  // another stream may be waited for
  EXPECT_EQ(cudaEventQuery(e), cudaErrorCapturedEvent);
  expect_invalid(s);
  EXPECT_EQ(cudaEventSynchronize(e), cudaErrorCapturedEvent);  // until it is recorded again
  EXPECT_EQ(cudaStreamWaitEvent(t, e, 0), cudaErrorCapturedEvent);
  CHECK_CUDA(cudaEventRecord(e, t));
  CHECK_CUDA(cudaEventSynchronize(e));
  begin(s, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(
      cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0), cudaErrorStreamCaptureUnsupported);
  expect_invalid(s);
}

TEST_F(GraphCaptureTest, TheLegacyStreamAndABlockingCaptureDoNotGoTogether) {
  std::uint32_t* p = device_numbers(n);
  cudaStream_t blocking = stream(cudaStreamDefault), other = stream();
  cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
  AxpbArguments arguments(p, 1, 1);
  const auto launch = [&] {
    return cudaLaunchKernel(kernels().axpb, dim3{8, 1, 1}, dim3{128, 1, 1}, arguments.pointers, 0, nullptr);
  };
  begin(blocking);
  EXPECT_EQ(cudaStreamIsCapturing(nullptr, &now), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(status(blocking), cudaStreamCaptureStatusActive);  // asking does no harm
  EXPECT_EQ(launch(), cudaErrorStreamCaptureImplicit);
  expect_invalid(blocking);
  begin(blocking, cudaStreamCaptureModeRelaxed);
  std::uint32_t value = 0;
  EXPECT_EQ(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost), cudaErrorStreamCaptureImplicit);
  expect_invalid(blocking);
  begin(other);
  EXPECT_EQ(launch(), cudaSuccess);  // not in step with it
  expect_valid(other);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(read(p)[0], 1u);
  cudaEvent_t e = event();
  begin(other);
  CHECK_CUDA(cudaEventRecord(e, other));
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, e, 0), cudaErrorStreamCaptureImplicit);
  expect_invalid(other);
}

TEST_F(GraphCaptureTest, CapturesDoNotMixWithOneAnotherOrWithOutside) {
  cudaStream_t s = stream(), t = stream(), outside = stream();
  cudaEvent_t e = event();
  begin(s);
  begin(t);
  CHECK_CUDA(cudaEventRecord(e, s));
  EXPECT_EQ(cudaStreamWaitEvent(t, e, 0), cudaErrorStreamCaptureMerge);
  expect_invalid(s);
  expect_invalid(t);
  CHECK_CUDA(cudaEventRecord(e, outside));
  begin(s);
  EXPECT_EQ(cudaStreamWaitEvent(s, e, 0), cudaErrorStreamCaptureIsolation);
  expect_invalid(s);
  begin(s);
  CHECK_CUDA(cudaStreamWaitEvent(s, event(), 0));  // was never recorded: nothing to wait for
  expect_valid(s);
}

// What cudaMalloc gives while another thread captures in `capture`, in a thread of mode `thread`.
cudaError_t allocation(cudaStreamCaptureMode thread) {
  cudaStreamCaptureMode mode = thread;
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  void* p = nullptr;
  const cudaError_t code = cudaMalloc(&p, 64);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, thread);
  return code;
}

TEST_F(GraphCaptureTest, ModesSayWhetherUnsafeCallsAreAllowed) {
  constexpr auto global = cudaStreamCaptureModeGlobal, local = cudaStreamCaptureModeThreadLocal,
                 relaxed = cudaStreamCaptureModeRelaxed;
  cudaStream_t s = stream();
  const auto mine = [&](cudaStreamCaptureMode capture, cudaStreamCaptureMode thread) {
    begin(s, capture);
    const cudaError_t code = allocation(thread);
    if (code == cudaSuccess)
      expect_valid(s);
    else
      expect_invalid(s);
    return code;
  };
  const auto others = [&](cudaStreamCaptureMode capture, cudaStreamCaptureMode thread) {
    begin(s, capture);
    cudaError_t code = cudaErrorUnknown;
    std::thread([&] { code = allocation(thread); }).join();
    if (code == cudaSuccess)
      expect_valid(s);
    else
      expect_invalid(s);
    return code;
  };
  constexpr auto no = cudaErrorStreamCaptureUnsupported, yes = cudaSuccess;
  EXPECT_EQ(mine(global, global), no);
  EXPECT_EQ(mine(global, local), no);
  EXPECT_EQ(mine(global, relaxed), yes);
  EXPECT_EQ(mine(local, global), no);
  EXPECT_EQ(mine(relaxed, global), yes);
  EXPECT_EQ(others(global, global), no);
  EXPECT_EQ(others(global, local), yes);
  EXPECT_EQ(others(global, relaxed), yes);
  EXPECT_EQ(others(local, global), yes);
  EXPECT_EQ(others(relaxed, global), yes);
  cudaStreamCaptureMode wrong = static_cast<cudaStreamCaptureMode>(5);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&wrong), cudaErrorInvalidValue);
}

TEST_F(GraphCaptureTest, UnsafeCallsAreThose) {
  std::uint32_t* p = device_numbers(n);
  cudaStream_t s = stream();
  void* q = nullptr;
  std::uint32_t value = 0;
  const std::vector<std::function<cudaError_t()>> calls = {
      [&] { return cudaMalloc(&q, 64); }, [&] { return cudaFree(p); }, [&] { return cudaMallocHost(&q, 64); },
      [&] { return cudaFreeHost(&value); }, [&] { return cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost); }};
  for (const auto& call : calls) {
    begin(s);
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported);
    expect_invalid(s);
  }
  EXPECT_EQ(read(p)[0], 0u);  // nothing was freed
}

TEST_F(GraphCaptureTest, AStreamThatWasJoinedBackMayBeDestroyed) {
  std::uint32_t* p = device_numbers(n);
  cudaStream_t s = stream(), t = nullptr;
  CHECK_CUDA(cudaStreamCreate(&t));
  cudaEvent_t e = event(), back = event();
  begin(s);
  CHECK_CUDA(cudaEventRecord(e, s));
  CHECK_CUDA(cudaStreamWaitEvent(t, e, 0));
  CHECK_CUDA(cudaMemsetAsync(p, 1, 4, t));
  CHECK_CUDA(cudaEventRecord(back, t));
  CHECK_CUDA(cudaStreamWaitEvent(s, back, 0));
  CHECK_CUDA(cudaStreamDestroy(t));
  cudaGraph_t g = nullptr;
  CHECK_CUDA(cudaStreamEndCapture(s, &g));
  std::size_t nodes = 0;
  CHECK_CUDA(cudaGraphGetNodes(g, nullptr, &nodes));
  EXPECT_EQ(nodes, 1u);
  CHECK_CUDA(cudaGraphDestroy(g));
}

TEST_F(GraphCaptureTest, DestroyingAStreamInvalidatesIt) {
  std::uint32_t* q = device_numbers(n);
  cudaStream_t s = stream(), t = nullptr;
  CHECK_CUDA(cudaStreamCreate(&t));
  cudaEvent_t e = event();
  begin(s);
  CHECK_CUDA(cudaEventRecord(e, s));
  CHECK_CUDA(cudaStreamWaitEvent(t, e, 0));
  CHECK_CUDA(cudaMemsetAsync(q, 1, 4, t));
  CHECK_CUDA(cudaStreamDestroy(t));
  expect_invalid(s);
  CHECK_CUDA(cudaStreamCreate(&t));
  begin(t);
  CHECK_CUDA(cudaStreamDestroy(t));
  void* p = nullptr;
  CHECK_CUDA(cudaMalloc(&p, 16));  // no capture is left that forbids it
  CHECK_CUDA(cudaFree(p));
}

}  // namespace
}  // namespace heddle::tests
