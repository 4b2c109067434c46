// The handler of the signal that ends launches which run for too long (time_limit.hpp).
#pragma once

namespace heddle::device::cpu {

// While one exists, the signal of the time limit is handled in this process. Counted, like FaultHandlers.
class TimeLimitHandler {
 public:
  explicit TimeLimitHandler(bool wanted);
  ~TimeLimitHandler();
  TimeLimitHandler(const TimeLimitHandler&) = delete;
  TimeLimitHandler& operator=(const TimeLimitHandler&) = delete;

 private:
  const bool wanted_;
};
// Lets the calling thread get the signal.
void accept_time_limit_signal();

}  // namespace heddle::device::cpu
