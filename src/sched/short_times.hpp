// How long kernels take, without what a busy host adds to their measured times.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace heddle::sched {

// By kernel. The events around a launch are submitted one by one: where the host pauses between them, a GPU that has
// nothing else to do waits, and the launch seems long. It never seems shorter than it is. So a short time counts until
// several longer ones in a row have shown that it has passed. Numbers of kernels that share an entry replace each
// other: it decides about time alone. Needs the core's lock.
class ShortTimes {
 public:
  // `last`: seconds of the last launch that was measured; 0: not known. To be called for each launch.
  double of(std::uint64_t kernel, double last) {
    if (last <= 0) return 0;
    Entry& entry = entries_[kernel % entries_.size()];
    if (entry.kernel != kernel)
      entry = {kernel, last, last};
    else if (last != entry.last)
      entry = {kernel, last, std::min(last, growth * entry.seconds)};
    return entry.seconds;
  }

 private:
  static constexpr double growth = 1.5;  // for each longer one
  struct Entry {
    std::uint64_t kernel = 0;
    double last = 0, seconds = 0;
  };
  std::array<Entry, 256> entries_{};
};

}  // namespace heddle::sched
