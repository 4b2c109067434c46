// How long nothing has happened, for those that conclude from it that nothing will.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace heddle::base {

// A period shows nothing where the thread that would act gets no processor: on a busy machine that takes longer than
// any period. So this one also counts how often the thread that asks has let others run. One thread.
class QuietPeriod {
 public:
  // `ns`: how long, on `clock`, which outlives it. 0: it is over at once.
  QuietPeriod(const Clock& clock, std::uint64_t ns) : clock_(clock), ns_(ns) {}

  // Something has happened.
  void restart() { since_ns_ = pauses_ = 0; }
  // Nothing has happened since the last call. True: that has been so for the whole period. False: the thread has slept
  // for about a millisecond, so that others could run.
  bool over();

 private:
  const Clock& clock_;
  const std::uint64_t ns_;
  std::uint64_t since_ns_ = 0;  // 0: something has happened since over() was called last
  std::uint64_t pauses_ = 0;
};

}  // namespace heddle::base
