// Since when a process has had no work on the GPU, by looks now and then.
//
// A program that launches kernel by kernel leaves the GPU idle between two of them, for some microseconds each time. A
// look that finds it so does not mean that the program has nothing more to do: it has when nothing was submitted for a
// while. Without that, such a program fell asleep and woke up again several times in each request, and gave the GPU
// away in the middle of it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::interpose {

// Pure.
class IdlePeriod {
 public:
  // `busy`: some work has not ended. `used`: there was work at the last look, or some was submitted since.
  void look(bool busy, bool used, std::uint64_t now_ns) {
    repeats_ = used && !busy && since_ns_ != 0 ? repeats_ + 1 : 0;
    if (busy)
      since_ns_ = 0;
    else if (used || since_ns_ == 0)
      since_ns_ = now_ns;
  }
  void end() { since_ns_ = 0; }

  // 0: it has work.
  std::uint64_t since_ns() const { return since_ns_; }
  // Until the next look: `shortest_ns`, and longer up to `longest_ns` where looks find again and again that more was
  // submitted: each asks the driver, which keeps the threads waiting that submit.
  std::uint64_t pause_ns(std::uint64_t shortest_ns, std::uint64_t longest_ns) const {
    return since_ns_ == 0 ? longest_ns : std::min(longest_ns, shortest_ns << std::min(repeats_, 8U));
  }
  bool lasts(std::uint64_t ns, std::uint64_t now_ns) const { return since_ns_ != 0 && now_ns >= since_ns_ + ns; }

 private:
  std::uint64_t since_ns_ = 0;
  unsigned repeats_ = 0;
};

}  // namespace heddle::interpose
