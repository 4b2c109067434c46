// Calls of the driver that are not the program's.
#pragma once

#include "interpose/forward.hpp"

namespace heddle::interpose {

// During its lifetime, the calls of this thread are permitted while another thread captures a stream.
class RelaxedCapture {
 public:
  RelaxedCapture() { HEDDLE_FORWARD(cuThreadExchangeStreamCaptureMode, &mode_); }
  ~RelaxedCapture() { HEDDLE_FORWARD(cuThreadExchangeStreamCaptureMode, &mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace heddle::interpose
