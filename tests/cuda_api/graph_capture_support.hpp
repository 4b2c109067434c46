// For tests of stream capture.
#pragma once

#include "cuda_api/graph_support.hpp"

namespace heddle::tests {

class GraphCaptureTest : public GraphTest {
 protected:
  static cudaStreamCaptureStatus status(cudaStream_t s) {
    cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
    EXPECT_EQ(cudaStreamIsCapturing(s, &now), cudaSuccess);
    return now;
  }
  // Ends a capture that must have been invalidated.
  static void expect_invalid(cudaStream_t s) {
    EXPECT_EQ(status(s), cudaStreamCaptureStatusInvalidated);
    cudaGraph_t g = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(g, nullptr);
    EXPECT_EQ(status(s), cudaStreamCaptureStatusNone);
  }
  static void expect_valid(cudaStream_t s) {
    cudaGraph_t g = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(s, &g), cudaSuccess);
    ASSERT_NE(g, nullptr);
    EXPECT_EQ(cudaGraphDestroy(g), cudaSuccess);
  }
  void begin(cudaStream_t s, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_EQ(cudaStreamBeginCapture(s, mode), cudaSuccess);
  }
};

}  // namespace heddle::tests
